#include "cli/terminal.h"

#include <array>

#include "base/visible.h"

namespace ringside::cli {

namespace {

// What Style writes.
constexpr std::array<std::string_view, 6> own_sequences{"\033[0m",  "\033[1m",  "\033[2m",
                                                        "\033[31m", "\033[32m", "\033[33m"};

// How much of the front may go out as it is, without looking closer.
std::size_t own_part(std::string_view text) {
    if (text.front() == '\n' || text.front() == '\t') return 1;
    for (const auto sequence : own_sequences)
        if (text.starts_with(sequence)) return sequence.size();
    return 0;
}

}  // namespace

std::string for_terminal(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        if (const std::size_t own = own_part(text); own > 0) {
            shown += text.substr(0, own);
            text.remove_prefix(own);
            continue;
        }
        // Up to the next that may be ours; at least one letter, so that a foreign one is looked at
        // too.
        const auto part = text.substr(0, text.find_first_of("\n\t\033", 1));
        shown += base::visible(part);
        text.remove_prefix(part.size());
    }
    return shown;
}

void print_text(std::FILE* to, std::string_view text) {
    const std::string shown = for_terminal(text);
    std::fwrite(shown.data(), 1, shown.size(), to);
}

}  // namespace ringside::cli
