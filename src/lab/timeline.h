// What happened when, for a viewer: who ran on which CPU, whose registers its counters held, which
// thread ran in which guest, and where the guests were left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::lab {

struct TimelineEvent {
    enum class Kind : std::uint8_t { span, instant };

    Kind kind = Kind::span;
    std::uint32_t row = 0;  // of Timeline::rows()
    std::string name;
    std::uint64_t start_ns = 0;
    std::uint64_t duration_ns = 0;  // of a span
};

// A line of the picture, in a group of lines.
struct TimelineRow {
    std::string group;
    std::string name;
};

class Timeline {
  public:
    explicit Timeline(std::size_t most_events) : most_(most_events) {}

    std::uint32_t add_row(std::string group, std::string name);
    void span(std::uint32_t row, std::string name, std::uint64_t start_ns, std::uint64_t end_ns);
    void instant(std::uint32_t row, std::string name, std::uint64_t at_ns);

    const std::vector<TimelineRow>& rows() const { return rows_; }
    const std::vector<TimelineEvent>& events() const { return events_; }
    // Events that found no room.
    std::uint64_t dropped() const { return dropped_; }

  private:
    void add(TimelineEvent event);

    std::size_t most_;
    std::vector<TimelineRow> rows_;
    std::vector<TimelineEvent> events_;
    std::uint64_t dropped_ = 0;
};

}  // namespace ringside::lab
