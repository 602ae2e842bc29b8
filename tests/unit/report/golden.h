// A view's whole output against a file under tests/fixtures/report.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace ringside::golden {

// What differs is left beside the system's temporary files, to be looked at and, where the change
// was meant, to take the fixture's place.
inline void expect(const std::string& name, const std::string& output) {
    std::stringstream wanted;
    wanted << std::ifstream(RINGSIDE_FIXTURES "/report/" + name).rdbuf();
    if (wanted.str() == output) return;
    const auto folder = std::filesystem::temp_directory_path() / "ringside_golden";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << output;
    ADD_FAILURE() << "not what tests/fixtures/report/" << name << " has; it is now in "
                  << (folder / name);
}

}  // namespace ringside::golden
