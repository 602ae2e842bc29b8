// How a guest's kernel reaches its PMU: who executes an access, the hardware or a VMM after an
// exit, is the port's business.
#pragma once

#include <array>

#include "vpmu/registers.h"
#include "vpmu/vm.h"

namespace ringside::lab {

// What the guest's kernel is doing when it touches a register.
enum class KernelWork : std::uint8_t {
    boot,
    probe,       // perf trying what the kernel can do
    open,        // the first event of a context
    enable,      // an event, by ioctl
    switch_in,   // a thread with events of its own
    start,       // a program: its events become enabled all at once
    read,        // the values, in between
    interrupt,   // an overflow
    rotate,      // multiplexing
    switch_out,  // a thread with events of its own
    disable,     // an event, by ioctl
    end,         // of a program
};
inline constexpr unsigned kernel_works = 12;
const char* to_text(KernelWork work);

inline constexpr unsigned register_kinds =
    static_cast<unsigned>(vpmu::RegisterKind::event_id_high) + 1;
// As the architecture's manual calls it.
const char* register_name(vpmu::Architecture architecture, vpmu::RegisterKind kind);

// How often a guest touched which register in which course of work, and how often that was an exit.
struct AccessCount {
    std::uint64_t accesses = 0;
    std::uint64_t exits = 0;
};
struct AccessTable {
    using ByDirection = std::array<AccessCount, 2>;  // reads, writes
    std::array<std::array<ByDirection, register_kinds>, kernel_works> counts{};

    AccessCount& at(KernelWork work, vpmu::RegisterKind kind, bool writes) {
        return counts[static_cast<unsigned>(work)][static_cast<unsigned>(kind)][writes ? 1 : 0];
    }
};

class PmuPort {
  public:
    virtual ~PmuPort() = default;

    virtual std::uint64_t read(vpmu::Register which) = 0;
    virtual void write(vpmu::Register which, std::uint64_t value) = 0;
    // paravirtual: the hypercall, and the counter as the guest itself reads it.
    virtual void configure(const vpmu::LogicalControl& control) = 0;
    virtual std::uint64_t raw_counter(vpmu::Slot slot) = 0;

    KernelWork work() const { return work_; }
    void begin(KernelWork work) { work_ = work; }

  private:
    KernelWork work_ = KernelWork::boot;
};

}  // namespace ringside::lab
