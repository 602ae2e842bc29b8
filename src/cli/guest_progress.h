// Lines of progress while a guest is prepared and run.
#pragma once

#include <cstdio>
#include <string_view>

#include <fmt/core.h>

#include "cli/terminal.h"

namespace ringside::cli {

inline void print_guest_progress(std::string_view line) {
    print_text(stderr, fmt::format("ringside guest: {}\n", line));
}

}  // namespace ringside::cli
