#include "guest/arguments.h"

#include <fmt/format.h>

namespace ringside::guest {

namespace {

bool is_plain(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    return letter || digit || std::string_view("_./=,:+-").find(c) != std::string_view::npos;
}

}  // namespace

std::string escape_argument(std::string_view argument) {
    std::string escaped;
    for (const char c : argument) {
        if (is_plain(c)) {
            escaped += c;
        } else {
            escaped += fmt::format("\\0{:03o}", static_cast<unsigned char>(c));
        }
    }
    return escaped;
}

std::string escape_arguments(const std::vector<std::string>& arguments) {
    std::string lines;
    for (const auto& argument : arguments) lines += escape_argument(argument) + "\n";
    return lines;
}

}  // namespace ringside::guest
