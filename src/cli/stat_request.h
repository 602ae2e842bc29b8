// What `ringside stat` was asked to count, and where; checked, with nothing opened yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

namespace ringside::cli {

struct AskedEvent {
    std::string name;
    std::string filter;  // of a tracepoint, or empty
    bool metric = false;
    bool optional = false;  // nobody named it: where it cannot count it is left out
    bool required = false;

    // As an event set takes it.
    std::string set_name() const { return filter.empty() ? name : name + "{" + filter + "}"; }
};

// A part of the report for itself: one thread, one CPU, or all there is.
struct StatPlace {
    std::string label;  // "CPU 3"; empty where there is one only
    Target target;
    bool inherit = false;
};

// Splits "cycles,cpu/event=1,umask=2/,uprobe:/bin/sh:main" at the commas between events. Fails on
// an empty name, and on perf's groups in braces.
Result<std::vector<AskedEvent>> parse_event_list(std::string_view text);

// "3,17": numbers of processes or threads, none of them 0.
Result<std::vector<int>> parse_ids(std::string_view text, std::string_view what);

// What is counted when nothing is named, most telling first. `user_only`: where counting in the
// kernel is not permitted; switches and migrations happen there and would read 0.
std::vector<AskedEvent> default_events(bool user_only);

// The metrics of that name, or of that group: "topdown" is all that begin with "topdown.". Fails
// with the names there are.
Result<std::vector<AskedEvent>> find_metrics(const Session& session, const std::string& name);

}  // namespace ringside::cli
