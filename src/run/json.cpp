#include "run/json.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"

namespace ringside::run {

namespace {

constexpr int deepest = 64;
// The library looks at all members of an object for each that it adds.
constexpr std::size_t most_members = 4000;

// Why it is refused; empty if it is not.
std::string_view fault_in(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    // Of what is open at each depth: the commas of an object so far; a list has any number.
    std::array<std::size_t, deepest + 1> commas{};
    std::array<bool, deepest + 1> in_object{};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (letter == '"') in_string = !in_string;
        if (letter == '\\' && in_string) ++i;
        if (in_string) continue;
        if (letter == '[' || letter == '{') {
            if (++depth > deepest) return "nested too deep";
            const auto at = static_cast<std::size_t>(std::max(depth, 0));
            commas[at] = 0;
            in_object[at] = letter == '{';
        }
        const auto at = static_cast<std::size_t>(std::max(depth, 0));
        if (letter == ',' && in_object[at] && ++commas[at] >= most_members)
            return "an object of too many members";
        if (letter == ']' || letter == '}') --depth;
    }
    return {};
}

}  // namespace

Result<nlohmann::ordered_json> parse_json_object(std::string_view text, const std::string& name) {
    if (const auto fault = fault_in(text); !fault.empty())
        return base::fail(ErrorCode::bad_input, fmt::format("{}: {}", name, fault));
    auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_object()) return base::fail(ErrorCode::bad_input, name + ": no JSON object");
    return json;
}

}  // namespace ringside::run
