#include <array>

#include "events/catalogue.h"

namespace ringside::events {

std::span<const std::string_view> native_lines() {
    static constexpr std::array<std::string_view, 1> lines{"arm64"};
    return lines;
}

}  // namespace ringside::events
