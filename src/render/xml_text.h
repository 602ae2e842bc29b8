// Names of programs and functions as text of XML and HTML: whatever they hold, they stay text.
#pragma once

#include <string>
#include <string_view>

namespace ringside::render {

// For content and for attributes in quotes. Always UTF-8: what is none, and control characters,
// which XML cannot have, become U+FFFD.
std::string xml_text(std::string_view text);

// The first `most` letters.
std::string_view cut_text(std::string_view text, std::size_t most);

}  // namespace ringside::render
