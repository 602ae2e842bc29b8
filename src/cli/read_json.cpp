#include "cli/read_json.h"

#include "base/error.h"

namespace ringside::cli {

namespace {

constexpr int deepest = 64;

bool is_too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (letter == '"') in_string = !in_string;
        if (letter == '\\' && in_string) ++i;
        if (in_string) continue;
        if ((letter == '[' || letter == '{') && ++depth > deepest) return true;
        if (letter == ']' || letter == '}') --depth;
    }
    return false;
}

}  // namespace

Result<nlohmann::ordered_json> parse_json_object(std::string_view text, const std::string& name) {
    if (is_too_deep(text)) return base::fail(ErrorCode::bad_input, name + ": nested too deep");
    auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_object()) return base::fail(ErrorCode::bad_input, name + ": no JSON object");
    return json;
}

}  // namespace ringside::cli
