// The registers of events that are on their counters all the time: the shortest way from a program
// to its counts. Each instruction here is one that every measurement pays, so nothing is looked up
// that cannot change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mmap.h"
#include "perf/user_read.h"

namespace ringside::perf {

struct RegisterSource {
    ControlPage* page;
    const std::uint64_t* base;  // taken off the count
    unsigned unused_bits;
};

// What a reading needs. A register is that of the CPU we are on, so only the thread that is counted
// may look.
struct Registers {
    std::uintptr_t owner = 0;  // its thread_mark(); 0 is nobody's
    std::size_t size = 0;
    const RegisterSource* first = nullptr;
    const RegisterSource* last = nullptr;

    bool is_ours() const { return owner == thread_mark(); }

    // What was counted since the base; false if we are not the thread that is counted, there is no
    // room, or an event is not on its counter right now.
    bool read(std::int64_t* out, std::size_t room) const {
        if (!is_ours() || size > room) return false;
        const RegisterSource* source = first;
        do {  // who owns registers has some
            std::uint64_t count = 0;
            if (!read_user(*source->page, source->unused_bits, count)) return false;
            *out++ = static_cast<std::int64_t>(count - *source->base);
        } while (++source != last);
        return true;
    }
};

inline constexpr Registers no_registers;

// Those of the thread that makes it. The kernel does not give its pages to children, though they
// have all variables: so what a reading needs lies where a forked child finds zeros.
class RegisterSet {
  public:
    RegisterSet();

    // The caller may change `base` between readings.
    void add(ControlPage& page, const std::uint64_t& base);

    // Nobody's where the kernel cannot tell a child from its parent.
    const Registers& registers() const { return registers_ ? *registers_ : no_registers; }

  private:
    std::vector<RegisterSource> sources_;
    base::Mmap page_;
    Registers* registers_ = nullptr;  // in the page
};

}  // namespace ringside::perf
