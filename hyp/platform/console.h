// The machine's serial port, and lines of text made of words and numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace ringside::hyp {

struct Hex {
    std::uint64_t value;
};

void print_one(std::string_view text);
void print_one(std::uint64_t number);
void print_one(Hex number);

inline void print_one(const char* text) {
    print_one(std::string_view(text));
}
template <std::unsigned_integral Number>
void print_one(Number number) {
    print_one(static_cast<std::uint64_t>(number));
}

// Words and numbers after each other, and a line's end.
template <typename... Parts>
void print_line(const Parts&... parts) {
    (print_one(parts), ...);
    print_one("\n");
}

}  // namespace ringside::hyp
