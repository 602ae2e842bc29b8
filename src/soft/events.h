// The events of the soft PMU: data/soft/events.csv, in the order of the page's counters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::soft {

enum class Needs { count, branches, memory, predictor, caches, machine };

struct Event {
    std::string name;       // "L1D_MISS_MODEL"
    std::string stat_name;  // "L1-dcache-misses-model"; empty where a program alone has none
    Needs needs = Needs::count;
    std::string description;
    unsigned counter = 0;  // on the page
};

std::vector<Event> all_events();

// From sample to sample, so that they are some thousands in a second of most programs. A prime: no
// loop keeps step with it.
std::uint64_t usual_period(const Event& event);

// By either name, "soft:::" before it or ":u" behind it: a program has no other mode. Those of a
// whole machine are not found.
Result<Event> find_program_event(std::string_view name);

}  // namespace ringside::soft
