// Human-readable numbers, times and sizes; the latter with three digits that matter, and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::report {

// "1,234,567": a whole number.
std::string grouped(double value);
std::string count_text(std::uint64_t count);
template <typename Number>
constexpr double seconds(Number ns) {
    return static_cast<double>(ns) / 1e9;
}
// 0 of nothing.
template <typename Number>
constexpr double percent(Number part, Number whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}
// "123 B", "12.3 kB", "1.23 MB".
std::string bytes_text(std::uint64_t bytes);
// "123 ns", "12.3 us", "1.23 ms".
std::string time_text(std::uint64_t ns);

}  // namespace ringside::report
