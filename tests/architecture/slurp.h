// A file's whole text; empty if there is none.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ringside::architecture {

inline std::string slurp(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace ringside::architecture
