// What a program in a guest reports to the test that runs it: "NAME VALUE" a line.
#pragma once

#include <map>
#include <sstream>
#include <string>

namespace ringside {

inline std::multimap<std::string, std::string> lines_of(const std::string& out) {
    std::multimap<std::string, std::string> said;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        const auto space = line.find(' ');
        said.emplace(line.substr(0, space), space == line.npos ? "" : line.substr(space + 1));
    }
    return said;
}

}  // namespace ringside
