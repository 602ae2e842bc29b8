// Nothing is said about a machine without saying where it was read.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ringside::platform {

struct Evidence {
    std::string source;  // a file, "cpuid 0x40000000", ...
    std::string text;    // what it held, or why it could not be read
    bool weak = false;   // a hint, for instance a kernel's name: believe it last
};

// One fact. Without a value, the evidence says why it is not known.
template <typename T>
struct Fact {
    std::optional<T> value;
    Evidence evidence;
};

template <typename T>
Fact<T> known(T value, std::string source, std::string text, bool weak = false) {
    return {std::move(value), {std::move(source), std::move(text), weak}};
}

template <typename T>
Fact<T> unknown(std::string source, std::string reason) {
    return {std::nullopt, {std::move(source), std::move(reason)}};
}

}  // namespace ringside::platform
