// A slice of a profile's time: between two instants of the samples' clock, or between two parts of
// the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ringside/result.h>

namespace ringside::profile {

// Only samples inside are counted, both ends included; all by default.
struct Window {
    struct Parts {
        double from = 0;  // 0 is the first sample, 1 the last
        double until = 1;
    };

    std::uint64_t from_ns = 0;
    std::uint64_t until_ns = ~std::uint64_t{0};
    std::optional<Parts> parts;  // in place of instants, until it is known when samples were taken

    bool contains(std::uint64_t time_ns) const { return time_ns >= from_ns && time_ns <= until_ns; }
    // The same with instants, for samples taken between these two.
    Window within(std::uint64_t first_ns, std::uint64_t last_ns) const;
};

// "12.5,13.25" in seconds of the samples' clock, either end may be missing; "10%-20%" of the whole
// time; "10%/2" for the second tenth.
Result<Window> parse_window(std::string_view text);

}  // namespace ringside::profile
