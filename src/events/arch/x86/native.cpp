#include <array>

#include "events/catalogue.h"

namespace ringside::events {

std::span<const std::string_view> native_lines() {
    static constexpr std::array<std::string_view, 2> lines{"intel", "amd"};
    return lines;
}

}  // namespace ringside::events
