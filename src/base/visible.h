// Text from outside, for people's eyes.
#pragma once

#include <string>
#include <string_view>

namespace ringside::base {

// The same letters, but what would move a cursor, change a terminal, forge a line or turn the order
// of letters around is written out: \n, \t, \x1b for a byte (control, C1, no UTF-8), \u202e for a
// letter that is not seen itself.
std::string visible(std::string_view text);

// The same bytes, but \\x9b written out for each that is no UTF-8.
std::string valid_utf8(std::string_view text);

// Whether a reader sees the letter itself: not so controls, letters without width, separators of
// lines, and marks that turn the order of letters around.
bool is_seen(char32_t letter);

// Whether visible() leaves it as it is.
bool is_visible(std::string_view text);

}  // namespace ringside::base
