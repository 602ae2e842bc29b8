// UTF-8 as it comes from outside: it may be anything.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::base {

// How many bytes the letter at the front takes; 0 if it is no UTF-8, or there is none.
std::size_t letter_bytes(std::string_view text);

// The code point of the letter at the front, which takes `bytes` (1 to 4) of them.
char32_t letter_value(std::string_view text, std::size_t bytes);

}  // namespace ringside::base
