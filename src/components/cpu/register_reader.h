// Reads the registers of a whole set: the way a measurement takes when the kernel is not needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fork_mark.h"
#include "components/cpu/cell.h"
#include "perf/user_read.h"

namespace ringside::components::cpu {

// For the one cell of a set, whose events are on their counters all the time; then no times are
// needed.
class RegisterReader {
  public:
    explicit RegisterReader(const Cell& cell) {
        for (std::size_t i = 0; i < cell.pages.size(); ++i) {
            sources_.push_back({&cell.pages[i].control(), &cell.base[i]});
        }
    }

    // A register is that of the CPU we are on, so only the counted thread itself may look; and the
    // kernel does not give its pages to children.
    bool is_ours() const { return owner_ == perf::thread_mark() && mark_.same_process(); }

    // What was counted since the base; false if an event is not on its counter right now.
    bool read(std::int64_t* out) const {
        const Source* const end = sources_.data() + sources_.size();
        for (const Source* source = sources_.data(); source != end; ++source) {
            std::uint64_t value = 0;
            if (!perf::read_user(*source->page, value)) return false;
            *out++ = static_cast<std::int64_t>(value - *source->base);
        }
        return true;
    }

  private:
    struct Source {
        perf::ControlPage* page;
        const std::uint64_t* base;
    };

    std::uintptr_t owner_ = perf::thread_mark();
    base::ForkMark mark_;
    std::vector<Source> sources_;
};

}  // namespace ringside::components::cpu
