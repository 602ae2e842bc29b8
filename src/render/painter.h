// Pictures as PNG, PDF and EPS. Cairo and Pango do it, in a module of its own that is loaded when
// it is needed: the command itself must run in guests that have neither.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "render/picture.h"

namespace ringside::render {

enum class Format { svg, png, pdf, eps };

// By the ending of a file's name, in small or capital letters.
std::optional<Format> format_of(std::string_view file);

// The name of the module as it was built.
constexpr std::string_view painter_module = "libringside-paint.so";

// All bytes of the file. `module` is the path of the painter's; SVG needs none.
Result<std::string> paint(const Picture& picture, Format format, const std::string& module);

// What the module exports as "ringside_paint". Without a problem it went well.
using PaintFunction = void(const Picture& picture, Format format, std::string& bytes,
                           std::string& problem);

}  // namespace ringside::render
