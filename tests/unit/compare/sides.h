// Sides for tests of comparisons: from the fixtures, and made up.
#pragma once

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "compare/perf_text.h"
#include "run/run.h"

namespace ringside::compare {

using run::Measurement;
using run::Run;
using run::Side;
using run::SideKind;

inline std::string fixture(const std::string& name) {
    const std::ifstream file(RINGSIDE_FIXTURES "/compare/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

inline Side side_of_report(const std::string& name, const std::string& file) {
    auto report = parse_perf_report(fixture(file));
    EXPECT_TRUE(report);
    Side side;
    side.name = name;
    side.runs.push_back(std::move(report->run));
    side.environment = std::move(report->environment);
    return side;
}

inline Measurement count(const std::string& event, double value) {
    Measurement count;
    count.name = event;
    count.value = value;
    if (event.starts_with("time.")) count.unit = "ns";
    return count;
}

// A side whose runs have these times of wall, user and kernel, in seconds.
inline Side timed(const std::string& name, const std::vector<std::array<double, 3>>& runs) {
    Side side;
    side.name = name;
    side.kind = SideKind::native;
    for (const auto& [wall, user, kernel] : runs) {
        Run& run = side.runs.emplace_back();
        run.counts = {count("time.wall", wall * 1e9), count("time.lifetime", wall * 1e9),
                      count("time.user", user * 1e9), count("time.kernel", kernel * 1e9)};
    }
    return side;
}

}  // namespace ringside::compare
