// /proc/PID/maps. The parser needs nothing but the standard library: the soft PMU's plugin has it
// compiled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::proc {

struct Mapping {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // behind the last byte
    bool readable = false;
    bool writable = false;
    bool executable = false;
    bool shared = false;
    std::uint64_t file_offset = 0;
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint64_t inode = 0;
    // Of the file, or "[heap]" and the like; empty for memory without either. It may hold blanks
    // and end with " (deleted)"; a newline in it is written "\012" by the kernel.
    std::string path;
};

// "55d0c000-55d0e000 r-xp 00001000 fe:01 1234    /usr/bin/true", with or without its end of line.
std::optional<Mapping> parse_mapping(std::string_view line);

// What is no mapping is left out.
std::vector<Mapping> parse_maps(std::string_view text);

}  // namespace ringside::proc
