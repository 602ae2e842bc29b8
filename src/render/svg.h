// A picture as SVG: real text, a title and a description for those who do not see it.
#pragma once

#include <string>
#include <string_view>

#include "render/picture.h"

namespace ringside::render {

// The same picture gives the same bytes. `id` begins the ids in it, which must differ between
// pictures of one page.
std::string svg_of(const Picture& picture, std::string_view id = "figure");

}  // namespace ringside::render
