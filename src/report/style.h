// Colour in human-readable output: only on a terminal, and never when NO_COLOR is set.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

namespace ringside::report {

class Style {
  public:
    explicit Style(std::FILE* stream)
        : on_(stream != nullptr && ::isatty(::fileno(stream)) == 1 && unset("NO_COLOR") &&
              !is_dumb()) {}

    std::string good(std::string_view text) const { return paint("32", text); }
    std::string warn(std::string_view text) const { return paint("33", text); }
    std::string bad(std::string_view text) const { return paint("31", text); }
    std::string dim(std::string_view text) const { return paint("2", text); }
    std::string strong(std::string_view text) const { return paint("1", text); }

  private:
    static bool unset(const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr || *value == '\0';
    }
    static bool is_dumb() {
        const char* terminal = std::getenv("TERM");
        return terminal != nullptr && std::string_view(terminal) == "dumb";
    }
    std::string paint(std::string_view code, std::string_view text) const {
        if (!on_) return std::string(text);
        return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
    }

    bool on_;
};

}  // namespace ringside::report
