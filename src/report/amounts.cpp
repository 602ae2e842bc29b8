#include "report/amounts.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ringside::report {

namespace {

std::string scaled(double value, const std::array<const char*, 5>& units) {
    constexpr double step = 1000;
    std::size_t unit = 0;
    while (value >= step && unit + 1 < units.size()) {
        value /= step;
        ++unit;
    }
    if (unit == 0) return fmt::format("{:.0f} {}", value, units[0]);
    const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

}  // namespace

std::string grouped(double value) {
    std::string digits = fmt::format("{:.0f}", std::abs(value));
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return (value < 0 ? "-" : "") + digits;
}

std::string count_text(std::uint64_t count) {
    return grouped(static_cast<double>(count));
}

std::string bytes_text(std::uint64_t bytes) {
    return scaled(static_cast<double>(bytes), {"B", "kB", "MB", "GB", "TB"});
}

std::string time_text(std::uint64_t ns) {
    return scaled(static_cast<double>(ns), {"ns", "us", "ms", "s", "ks"});
}

}  // namespace ringside::report
