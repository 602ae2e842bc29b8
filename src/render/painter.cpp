#include "render/painter.h"

#include <array>
#include <utility>

#include <dlfcn.h>

#include "base/error.h"
#include "base/text.h"
#include "render/svg.h"

namespace ringside::render {

using base::fail;

std::optional<Format> format_of(std::string_view file) {
    constexpr std::array<std::pair<std::string_view, Format>, 4> endings = {
        {{".svg", Format::svg},
         {".png", Format::png},
         {".pdf", Format::pdf},
         {".eps", Format::eps}}};
    const std::string name = base::to_lower(file);
    for (const auto& [ending, format] : endings) {
        if (name.ends_with(ending)) return format;
    }
    return std::nullopt;
}

// The module is never unloaded: the libraries behind it keep what they know of fonts.
Result<std::string> paint(const Picture& picture, Format format, const std::string& module) {
    if (format == Format::svg) return svg_of(picture);
    void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : ::dlsym(library, "ringside_paint");
    if (symbol == nullptr) {
        const char* reason = ::dlerror();
        return fail(ErrorCode::not_found,
                    std::string("cannot load what draws PNG, PDF and EPS: ") +
                        (reason == nullptr ? module : reason),
                    "install libpangocairo-1.0-0, or draw SVG");
    }
    std::string bytes;
    std::string problem;
    reinterpret_cast<PaintFunction*>(symbol)(picture, format, bytes, problem);
    if (!problem.empty()) return fail(ErrorCode::unsupported, "cannot draw this: " + problem);
    return bytes;
}

}  // namespace ringside::render
