// The little JSON that exchange formats need, written straight into text: a profile as a tree of
// values would take many times its size.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ringside::exports {

// In quotes, escaped; bytes that are no UTF-8 become "?".
std::string json_string(std::string_view text);

// "[1,2,3]"
template <typename List>
std::string json_array(const List& list) {
    return fmt::format("[{}]", fmt::join(list, ","));
}

}  // namespace ringside::exports
