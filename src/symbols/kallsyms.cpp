#include "symbols/kallsyms.h"

#include <charconv>
#include <cstring>

namespace ringside::symbols {

namespace {

// "ffffffff81000000 T _text" or "... t name\t[module]".
struct Line {
    std::uint64_t address = 0;
    char type = ' ';
    std::string_view name;
};

bool parse_line(std::string_view line, Line& out) {
    const char* end = line.data() + line.size();
    const auto [after, failed] = std::from_chars(line.data(), end, out.address, 16);
    if (failed != std::errc{} || end - after < 4 || after[0] != ' ' || after[2] != ' ')
        return false;
    out.type = after[1];
    const char* name = after + 3;
    const auto* stop =
        static_cast<const char*>(std::memchr(name, '\t', static_cast<std::size_t>(end - name)));
    out.name = {name, static_cast<std::size_t>((stop != nullptr ? stop : end) - name)};
    return !out.name.empty();
}

bool is_code(char type) {
    return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

}  // namespace

KernelSymbols parse_kallsyms(std::string_view text) {
    KernelSymbols kernel;
    kernel.hidden = !text.empty();
    while (!text.empty()) {
        const auto stop = text.find('\n');
        const std::string_view line = text.substr(0, stop);
        text.remove_prefix(stop == std::string_view::npos ? text.size() : stop + 1);
        Line parsed;
        if (!parse_line(line, parsed) || parsed.address == 0) continue;
        kernel.hidden = false;
        if (!is_code(parsed.type)) continue;
        SymbolRank rank;
        rank.strong = parsed.type == 'T' || parsed.type == 't';
        rank.global = parsed.type == 'T';
        kernel.functions.add(parsed.address, 0, parsed.name, rank);
    }
    kernel.functions.finish();
    return kernel;
}

}  // namespace ringside::symbols
