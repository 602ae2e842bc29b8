// A view's whole output against a file under tests/fixtures/report.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringside::golden {

// `text` with its longest fractions at 12 digits. The last ones are not the same on all machines:
// some compilers and libraries multiply and add in one step, with one rounding instead of two.
inline std::string rounded(std::string_view text) {
    constexpr std::string_view of_numbers = "0123456789.eE+-";
    constexpr auto longest = 14;
    std::string result;
    while (!text.empty()) {
        const auto begin = std::min(text.find_first_of("0123456789"), text.size());
        result += text.substr(0, begin);
        text.remove_prefix(begin);
        const auto end = std::min(text.find_first_not_of(of_numbers), text.size());
        const std::string number(text.substr(0, end));
        char* parsed = nullptr;
        const double value = std::strtod(number.c_str(), &parsed);
        const bool is_long = end > longest && number.find('.') != std::string::npos;
        result += is_long && *parsed == '\0' ? fmt::format("{:.12g}", value) : number;
        text.remove_prefix(end);
    }
    return result;
}

// What differs is left beside the system's temporary files, to be looked at and, where the change
// was meant, to take the fixture's place.
inline void expect(const std::string& name, const std::string& output) {
    std::stringstream wanted;
    wanted << std::ifstream(RINGSIDE_FIXTURES "/report/" + name).rdbuf();
    if (rounded(wanted.str()) == rounded(output)) return;
    const auto folder = std::filesystem::temp_directory_path() / "ringside_golden";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << output;
    ADD_FAILURE() << "not what tests/fixtures/report/" << name << " has; it is now in "
                  << (folder / name);
}

}  // namespace ringside::golden
