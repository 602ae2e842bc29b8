// The hypervisor: one CPU, its guests, and the engine that shares the PMU among them.
//   scheduler.cpp   who runs next, and what changes hands then
//   exits.cpp       why a guest was left, and what is done about it
//   forward.cpp     accesses to devices that are made for a guest
//   interrupts.cpp  the machine's interrupts, and which guest they are for
//   record.cpp      what is printed at the end
#pragma once

#include "hyp/arch/lost_overflow.h"
#include "hyp/arch/pmu.h"
#include "hyp/core/guest.h"
#include "vpmu/cpu.h"

namespace ringside::hyp {

// A host event overflowed while a guest ran: where it was.
struct HostSample {
    unsigned guest = 0;
    std::uint64_t pc = 0;
};
inline constexpr unsigned max_host_samples = 64;

class Hypervisor {
  public:
    explicit Hypervisor(const Manifest& manifest);

    // False if its memory could not be mapped.
    [[nodiscard]] bool add_guest(const GuestSpec& spec, void* storage, TablePool& pool);
    void add_host_events();
    // The way into the first guest.
    Frame* start();

    // The ways out of a guest; each returns the way into one.
    Frame* on_sync(Guest& guest);
    Frame* on_interrupt(Guest& guest);
    Frame* on_serror(Guest& guest);

  private:
    // scheduler.cpp
    void leave(Guest& guest);
    Frame* go_on();
    Guest& pick();
    bool can_run(const Guest& guest) const;
    bool is_over() const;
    void idle();
    void switch_to(Guest& next);
    void enter(Guest& guest);
    void set_slice_alarm();
    bool level_is_loaded() const;
    void hold_pmu_interrupt(const Guest& guest, bool direct);
    void keep_physical_interrupts(const Guest& guest, bool active);

    // exits.cpp
    void on_wait(Guest& guest);
    void on_hypercall(Guest& guest);
    void on_firmware_call(Guest& guest);
    void on_memory_abort(Guest& guest, std::uint64_t esr);
    void on_sysreg(Guest& guest, std::uint64_t esr);
    void on_pmu_register(Guest& guest, std::uint64_t esr);
    bool emulate_device(Guest& guest, std::uint64_t address, std::uint64_t esr);
    std::int64_t set_page(Guest& guest, std::uint64_t address);
    std::int64_t configure(Guest& guest, std::uint64_t address);
    vpmu::Access read_pmu(Guest& guest, vpmu::Register which, vpmu::Privilege privilege);

    // forward.cpp
    bool forward(Guest& guest, std::uint64_t address, std::uint64_t esr);
    void count_as_executed(Guest& guest);

    // interrupts.cpp
    void serve(unsigned interrupt);
    void note_pmu_interrupt();
    void follow_distributor(const Guest& guest, std::uint64_t offset);
    std::uint64_t host_overflows() const;

    // record.cpp
    [[noreturn]] void finish(const char* why);
    void print_guest(const Guest& guest) const;
    void print_view(const Guest& guest) const;
    void print_host_events();

    const Manifest& manifest_;
    Pmu pmu_;
    unsigned spares_;
    vpmu::PmuModel promised_;  // what is left of the CPU's counters
    SpareCounters<Pmu> counters_;
    vpmu::Cpu<SpareCounters<Pmu>> cpu_;
    unsigned list_registers_;

    Guest* guests_[max_guests] = {};
    unsigned guest_count_ = 0;
    Guest* current_ = nullptr;
    Guest* device_owner_ = nullptr;
    bool slice_is_over_ = false;
    bool pmu_interrupt_held_ = false;
    std::uint64_t end_ticks_ = 0;
    std::uint64_t left_guest_ticks_ = 0;  // when EL2 began to work
    std::uint64_t own_ticks_ = 0;         // that EL2 worked in all

    vpmu::EventId host_event_ids_[max_host_event_specs] = {};
    HostSample samples_[max_host_samples];
    std::uint64_t sample_count_ = 0;
    std::uint64_t switches_ = 0;
};

}  // namespace ringside::hyp
