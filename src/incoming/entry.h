// One thing that another machine sent, as its archive names it. Nothing of it has been believed
// yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::incoming {

struct Entry {
    std::string name;          // any bytes at all
    std::uint32_t mode = 0;    // as stat(2) has it; only whether it is a file or a folder counts
    std::string_view content;  // of a file; points into the archive
};

}  // namespace ringside::incoming
