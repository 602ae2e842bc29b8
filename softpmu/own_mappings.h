// What is mapped in this process, QEMU and the program that it runs.
#pragma once

#include <cstdio>

#include "proc/maps.h"

namespace ringside::softpmu {

// Calls `visit` with each mapping, in the order of addresses. No path makes a line longer: the
// kernel shows none of more than a page.
template <typename Visit>
void for_each_mapping(const Visit& visit) {
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    char line[4352];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        if (const auto mapping = proc::parse_mapping(line)) visit(*mapping);
    }
    if (maps != nullptr) std::fclose(maps);
}

}  // namespace ringside::softpmu
