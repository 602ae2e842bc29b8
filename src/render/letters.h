// How wide words are, without any font: the same on every machine. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/picture.h"

namespace ringside::render {

// What can be drawn and written into XML: valid UTF-8, "?" in the place of anything else.
std::string clean(std::string_view text);

// Of clean text, as DejaVu Sans has it (data/render/letter_widths.csv).
double text_width(std::string_view text, Font font);

// The same if it is not wider than `width`, else with "…" in its middle: names tell most at their
// ends.
std::string shortened(std::string_view text, Font font, double width);

// Lines no wider than `width`, broken between words; at most `most`, the last shortened.
std::vector<std::string> wrapped(std::string_view text, Font font, double width, std::size_t most);

// The room that words take.
Rect bounds(const Words& words);

}  // namespace ringside::render
