// The JSON library's values as text: always UTF-8, whatever bytes a name has. Including that
// library costs seconds of compiling: who only writes uses json.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/visible.h"

namespace ringside::base {

// The same, with "\x9b" written out in its texts for each byte that is no UTF-8, so that it can be
// told which it was.
template <typename Json>
Json with_valid_texts(const Json& json) {
    if (json.is_string()) return valid_utf8(json.template get_ref<const std::string&>());
    if (!json.is_structured()) return json;
    Json valid = json.is_array() ? Json::array() : Json::object();
    for (const auto& [key, value] : json.items()) {
        if (json.is_array()) {
            valid.push_back(with_valid_texts<Json>(value));
        } else {
            valid[valid_utf8(key)] = with_valid_texts<Json>(value);
        }
    }
    return valid;
}

inline bool all_is_visible(std::string_view text) {
    const auto lines = split_lines(text);
    return std::all_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return is_visible(line); });
}

// With a newline at its end. `indent` -1: on one line. Letters that are not seen themselves go out
// as "\u202e": who looks at it in a terminal is not to be fooled by it.
template <typename Json>
std::string json_text(const Json& json, int indent = 2) {
    try {
        const std::string text = json.dump(indent);
        return (all_is_visible(text) ? text : json.dump(indent, ' ', true)) + "\n";
    } catch (const typename Json::type_error&) {  // a byte that is no UTF-8
        return with_valid_texts(json).dump(indent, ' ', true) + "\n";
    }
}

}  // namespace ringside::base
