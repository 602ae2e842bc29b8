// Counters that never stop, made into ones that do: what was there at the start is taken off. The
// same for a program under QEMU and for a machine that is one.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/fork.h"
#include "session/component.h"

namespace ringside::components::soft {

// What every cell has; `Cell` has it as its base.
struct BegunCount {
    unsigned counter = 0;
    std::uint64_t begin = 0;
    std::uint64_t sum = 0;  // while it does not run
};

// `Own` has now(const Cell&, std::uint64_t&), false where nothing can be read. Known when compiled,
// because this is the shortest way from a program to its counts.
template <typename Own, typename Cell>
class BegunCounts : public session::Counters {
  public:
    Result<void> start() override {
        for (Cell& cell : cells_) {
            cell.sum = 0;
            if (!now(cell, cell.begin)) return unreadable();
        }
        running_ = true;
        return {};
    }
    Result<void> stop() override {
        if (!running_) return {};
        for (Cell& cell : cells_) {
            std::uint64_t value = 0;
            if (!now(cell, value)) return unreadable();
            cell.sum = value - cell.begin;
        }
        running_ = false;
        return {};
    }
    Result<void> reset() override {
        if (running_) return start();
        for (Cell& cell : cells_) cell.sum = 0;
        return {};
    }
    Result<void> read(std::span<Reading> out) override {
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            out[i] = Reading{};
            if (!value_of(cells_[i], out[i].value)) out[i].state = CounterState::absent;
        }
        return {};
    }
    bool read_plain(std::int64_t* out) override {
        for (const Cell& cell : cells_) {
            if (!value_of(cell, *out++)) return false;
        }
        return true;
    }
    Result<void> read_values(std::span<std::int64_t> out) override {
        return read_plain(out.data()) ? Result<void>() : unreadable();
    }
    std::string reason(std::size_t) const override {
        return process_.is_this() ? "" : "these are counters of the process that forked this one";
    }

  protected:
    std::vector<Cell> cells_;

  private:
    bool now(const Cell& cell, std::uint64_t& value) const {
        return process_.is_this() && static_cast<const Own*>(this)->now(cell, value);
    }
    bool value_of(const Cell& cell, std::int64_t& out) const {
        std::uint64_t value = cell.sum;
        if (running_) {
            if (!now(cell, value)) return false;
            value -= cell.begin;
        }
        out = static_cast<std::int64_t>(value);
        return true;
    }
    Error unreadable() const {
        const auto why = reason(0);
        return base::fail(ErrorCode::busy, why.empty() ? "the soft PMU cannot be read" : why);
    }

    base::OwnProcess process_;
    bool running_ = false;
};

}  // namespace ringside::components::soft
