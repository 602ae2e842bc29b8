// The parts into which the time of a run falls (docs/time.md), and what a reader calls them. They
// and the unexplained rest add up to the time that all threads lived.
#pragma once

#include <array>
#include <string_view>

namespace ringside::compare {

struct TimePart {
    std::string_view event;
    std::string_view name;   // for programs
    std::string_view words;  // in a sentence
    std::string_view label;  // in a chart
};

constexpr std::array<TimePart, 9> time_parts = {{
    {"time.user", "compute", "computing in user mode", "user"},
    {"time.kernel", "kernel", "work of the kernel", "kernel"},
    {"time.stolen", "stolen", "time stolen by the hypervisor", "stolen"},
    {"time.waiting", "waiting", "waiting for a CPU", "waiting for a CPU"},
    {"time.blocked", "blocked", "blocked on I/O or in the kernel",
     "blocked on I/O or in the kernel"},
    {"time.paging", "paging", "blocked in page faults", "blocked in page faults"},
    {"time.sleeping", "sleeping", "voluntary sleep", "voluntary sleep"},
    {"time.stopped", "stopped", "being stopped", "stopped"},
    {"time.unexplained", "unexplained", "time that nothing here explains", "unexplained"},
}};

}  // namespace ringside::compare
