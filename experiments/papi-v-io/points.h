// Joins what fio and `ringside io` said of the same transfers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ringside/result.h>

namespace ringside::experiment {

// One run of one point. Bytes a nanosecond are GB/s.
struct Measured {
    std::uint64_t bytes = 0;
    std::uint64_t calls = 0;
    double fio_ns = 0;    // between fio's time stamps
    double floor_ns = 0;  // of that, what passes outside of the calls
    double io_ns = 0;     // what the io component says
};

struct PointKey {
    std::string place;      // "native", "guest"
    std::string direction;  // "read", "write"
    int size_kib = 0;
    int record_kib = 0;

    auto operator<=>(const PointKey&) const = default;
};
using Points = std::map<PointKey, std::vector<Measured>>;

// Adds all runs that `folder` holds. Fails if a file cannot be read, or if the two do not agree on
// bytes and calls.
Result<void> add_points(Points& points, const std::string& folder, const std::string& place);

// Medians over a point's runs.
struct Summary {
    double fio_gbps = 0;  // without what passes outside of the calls
    double io_gbps = 0;
    double difference = 0;      // of the two, as a part of fio's
    double raw_difference = 0;  // against fio's figure as it is
};
Summary summarize(const std::vector<Measured>& runs);

}  // namespace ringside::experiment
