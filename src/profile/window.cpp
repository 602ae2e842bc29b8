#include "profile/window.h"

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace ringside::profile {

namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

// Whole seconds and up to nine digits of their fraction; times of a clock lose digits as double.
std::optional<std::uint64_t> parse_seconds(std::string_view text) {
    const auto dot = text.find('.');
    const auto seconds = base::parse_u64(text.substr(0, dot));
    if (!seconds || *seconds > ~std::uint64_t{0} / ns_per_second - 1) return std::nullopt;
    if (dot == std::string_view::npos) return *seconds * ns_per_second;
    const auto digits = text.substr(dot + 1);
    const auto fraction = base::parse_u64(digits);
    if (!fraction || digits.size() > 9) return std::nullopt;
    std::uint64_t ns = *fraction;
    for (std::size_t i = digits.size(); i < 9; ++i) ns *= 10;
    return *seconds * ns_per_second + ns;
}

// "12.5%" as 0.125.
std::optional<double> parse_percent(std::string_view text) {
    if (!text.ends_with('%')) return std::nullopt;
    const auto millionths = parse_seconds(text.substr(0, text.size() - 1));
    if (!millionths) return std::nullopt;
    const double value = static_cast<double>(*millionths) / ns_per_second / 100;
    return value <= 1 ? std::optional(value) : std::nullopt;
}

std::optional<Window::Parts> parse_parts(std::string_view text) {
    if (const auto slash = text.find('/'); slash != std::string_view::npos) {
        const auto size = parse_percent(text.substr(0, slash));
        const auto number = base::parse_u64(text.substr(slash + 1));
        if (!size || !number || *number == 0) return std::nullopt;
        const auto index = static_cast<double>(*number);
        if (*size * (index - 1) >= 1) return std::nullopt;
        return Window::Parts{*size * (index - 1), *size * index};
    }
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto from = parse_percent(text.substr(0, dash));
    const auto until = parse_percent(text.substr(dash + 1));
    if (!from || !until || *from > *until) return std::nullopt;
    return Window::Parts{*from, *until};
}

}  // namespace

Window Window::within(std::uint64_t first_ns, std::uint64_t last_ns) const {
    if (!parts || last_ns < first_ns) return *this;
    const auto span = static_cast<double>(last_ns - first_ns);
    const auto at = [&](double part) {
        return part >= 1 ? last_ns : first_ns + static_cast<std::uint64_t>(std::floor(part * span));
    };
    return {at(parts->from), at(parts->until), std::nullopt};
}

Result<Window> parse_window(std::string_view text) {
    const Error wrong =
        base::fail(ErrorCode::bad_input, "no slice of time: \"" + std::string(text) + "\"",
                   "write FROM,TO in seconds, as in 12.5,13, or parts, as in 10%-20% or 10%/2");
    Window window;
    if (text.find('%') != std::string_view::npos) {
        window.parts = parse_parts(text);
        if (!window.parts) return wrong;
        return window;
    }
    const auto ends = base::split(text, ',');
    if (ends.size() != 2) return wrong;
    const auto read = [&](std::string_view end, std::uint64_t& into) {
        const auto word = base::trim(end);
        if (word.empty()) return true;
        const auto value = parse_seconds(word);
        if (value) into = *value;
        return value.has_value();
    };
    if (!read(ends[0], window.from_ns) || !read(ends[1], window.until_ns)) return wrong;
    if (window.from_ns > window.until_ns) return wrong;
    return window;
}

}  // namespace ringside::profile
