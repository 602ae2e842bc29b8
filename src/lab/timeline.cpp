#include "lab/timeline.h"

#include <utility>

namespace ringside::lab {

std::uint32_t Timeline::add_row(std::string group, std::string name) {
    rows_.push_back({std::move(group), std::move(name)});
    return std::uint32_t(rows_.size() - 1);
}

void Timeline::span(std::uint32_t row, std::string name, std::uint64_t start_ns,
                    std::uint64_t end_ns) {
    add({TimelineEvent::Kind::span, row, std::move(name), start_ns, end_ns - start_ns});
}

void Timeline::instant(std::uint32_t row, std::string name, std::uint64_t at_ns) {
    add({TimelineEvent::Kind::instant, row, std::move(name), at_ns, 0});
}

void Timeline::add(TimelineEvent event) {
    if (events_.size() < most_) {
        events_.push_back(std::move(event));
    } else {
        ++dropped_;
    }
}

}  // namespace ringside::lab
