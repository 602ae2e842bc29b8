// How a command reaches a box: as data that the init script turns back into the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::guest {

// For printf's %b: letters, digits and a few signs as they are, every other byte as \0ooo.
std::string escape_argument(std::string_view argument);

// One escaped argument a line.
std::string escape_arguments(const std::vector<std::string>& arguments);

}  // namespace ringside::guest
