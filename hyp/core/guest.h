// One guest: its memory, registers, interrupt controller and share of the PMU, and what became of
// it.
#pragma once

#include "hyp/arch/context.h"
#include "hyp/arch/frame.h"
#include "hyp/core/manifest.h"
#include "hyp/core/vgic.h"
#include "vpmu/vm.h"

namespace ringside::hyp {

class Hypervisor;

enum class GuestState : std::uint8_t {
    ready,
    waiting,  // for an interrupt
    off,      // it switched itself off
    stopped,  // we stopped it
};

struct Exits {
    std::uint64_t pmu = 0;
    std::uint64_t sysreg = 0;
    std::uint64_t hypercall = 0;
    std::uint64_t firmware = 0;
    std::uint64_t wait = 0;
    std::uint64_t device = 0;     // accesses to emulated devices
    std::uint64_t forwarded = 0;  // and to real ones, made for the guest
    std::uint64_t interrupt = 0;
    std::uint64_t pmi = 0;  // the PMU's interrupts among them

    std::uint64_t total() const {
        return pmu + sysreg + hypercall + firmware + wait + device + forwarded + interrupt;
    }
};

// Accesses to one window of the manifest.
struct WindowUse {
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
};

// A line of a guest's console, printed when it is whole.
class ConsoleLine {
  public:
    void put(std::string_view guest, char c);
    void flush(std::string_view guest);

  private:
    char text_[160] = {};
    unsigned length_ = 0;
};

struct Guest {
    Guest(Hypervisor& owner, const GuestSpec& what, unsigned number, const vpmu::PmuModel& pmu,
          TablePool& pool);

    Frame frame;  // first: the vectors know only it
    Hypervisor& hypervisor;
    const GuestSpec& spec;
    unsigned vmid;
    Context context;
    Stage2 memory;
    VirtualGic gic;
    ListRegisters lists;
    vpmu::Vm vm;
    vpmu::Vcpu vcpu;
    ConsoleLine console;

    GuestState state = GuestState::ready;
    const char* reason = "";  // why it was stopped
    std::uint64_t where = 0;  // the address that stopped it
    Exits exits;
    WindowUse windows[max_windows];
    std::uint64_t slices = 0;
    std::uint64_t undefined = 0;  // exceptions injected

    // A paravirtual guest has hypercalls instead.
    bool has_pmu_registers() const { return !vpmu::is_logical(spec.policy); }
    bool is_over() const { return state == GuestState::off || state == GuestState::stopped; }
    void stop(const char* why, std::uint64_t address) {
        state = GuestState::stopped;
        reason = why;
        where = address;
    }
    // Where EL2 finds `bytes` of the guest's memory; null if they are not all there.
    void* reach(std::uint64_t address, std::uint64_t bytes) const;
    // False if the tables do not suffice.
    [[nodiscard]] bool map_memory();
};

}  // namespace ringside::hyp
