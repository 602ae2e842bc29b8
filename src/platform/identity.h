// Recognising names: observations in, sightings out, by the tables under data/platform. Hypervisors
// and container runtimes are told apart the same way, only by different tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/fact.h"

namespace ringside::platform {

struct Observation {
    std::string key;     // first column of the table, "dmi/sys_vendor"
    std::string source;  // where it was read, "/sys/class/dmi/id/sys_vendor"
    std::string text;
};

struct Sighting {
    std::string name;    // third column
    std::string detail;  // fourth column, may be empty
    int rank = 0;
    Evidence evidence;
};

// Below this rank a sighting is a hint.
constexpr int weak_below_rank = 20;

// '*' at the start or the end of `pattern` stands for anything; otherwise equality.
bool matches(std::string_view pattern, std::string_view text);

// The sightings that the rows of `table_csv` make of the observations, strongest first. Text that
// is not printable is never recognised.
std::vector<Sighting> recognise(const std::vector<Observation>& observations,
                                std::string_view table_csv);

}  // namespace ringside::platform
