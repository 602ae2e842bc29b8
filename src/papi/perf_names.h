// Native events of the CPU: PAPI takes libpfm4's way of naming them ("perf::TASK-CLOCK:u=1",
// "perf_raw::r1a2"), the cpu component takes perf's ("task-clock:u", "r1a2").
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringside::papi {

// What the cpu component calls the event; nullopt where an attribute has no counterpart there.
// Names that are in neither of PAPI's own two PMUs are handed on as they are.
std::optional<std::string> to_perf_name(std::string_view papi_name);

// How PAPI calls an event that the cpu component lists.
std::string to_papi_name(std::string_view perf_name);

// The kernel's constant for a generic event, "PERF_COUNT_SW_TASK_CLOCK"; empty if it is none.
std::string_view kernel_constant(std::string_view perf_name);

}  // namespace ringside::papi
