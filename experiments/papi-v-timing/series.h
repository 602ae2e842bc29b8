// From what was measured to what is drawn: each multiplication belongs to the phase of the
// competition in which it lies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::experiment {

// One multiplication, seconds.
struct Run {
    double real_s = 0;
    double cpu_s = 0;  // what PAPI calls virtual time
    std::optional<double> compensated_s;
    std::optional<double> steal_s;
};

using RunsByCompetitors = std::map<int, std::vector<Run>>;

// Leaves out runs that are not at least `guard_s` inside of a phase: those saw two, or may have,
// where the clocks of the two machines are not the same.
RunsByCompetitors join(std::string_view runs_csv, std::string_view phases_csv, double guard_s);

struct Band {
    double low = 0;
    double median = 0;
    double high = 0;
};
// nullopt without a value.
std::optional<Band> band(std::vector<double> values);

}  // namespace ringside::experiment
