// The events of application I/O: which words of io_counts each is made of, and how.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "abi/io_table.h"
#include "session/component.h"

namespace ringside::components::io {

// An io_counts as a row of words; a WordIndex is a place in it.
using WordIndex = std::size_t;
constexpr WordIndex words_in_counts = sizeof(io_counts) / sizeof(io_word);

// From data/io/events.csv, in its order; a ComponentEvent's id is its place there.
std::vector<session::ComponentEvent> all_events();

// One event's arithmetic.
class Formula {
  public:
    explicit Formula(const session::ComponentEvent& event);

    const std::vector<WordIndex>& words() const { return words_; }
    bool needs_time() const;
    // From what each of words() has gained.
    std::int64_t value(std::span<const io_word> gained, double ns_per_tick) const;

  private:
    enum class Kind { count, mean, still_open, microseconds, nanoseconds, percentile };

    Kind kind_ = Kind::count;
    double percentile_ = 0;
    std::vector<WordIndex> words_;
};

// In ticks; 0 when nothing was counted.
double percentile(std::span<const io_word> histogram, double percent);

}  // namespace ringside::components::io
