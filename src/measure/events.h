// What is to be counted or sampled, as it is typed; checked, with nothing opened yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "base/sys_root.h"
#include "record/settings.h"

namespace ringside::measure {

struct AskedEvent {
    std::string name;
    std::string filter;  // of a tracepoint, or empty
    bool metric = false;
    bool optional = false;  // nobody named it: where it cannot count it is left out
    bool required = false;

    // As an event set takes it.
    std::string set_name() const { return filter.empty() ? name : name + "{" + filter + "}"; }
};

// Splits "cycles,cpu/event=1,umask=2/,uprobe:/bin/sh:main" at the commas between events. Fails on
// an empty name, and on perf's groups in braces.
Result<std::vector<AskedEvent>> parse_event_list(std::string_view text);

// What is counted when nothing is named, most telling first. `user_only`: where counting in the
// kernel is not permitted; switches and migrations happen there and would read 0.
std::vector<AskedEvent> default_events(bool user_only);

// The metrics of that name, or of that group: "topdown" is all that begin with "topdown.". Fails
// with the names there are.
Result<std::vector<AskedEvent>> find_metrics(const Session& session, const std::string& name);

// The events to sample by behind such lists. Fails on what is worked out from several.
Result<std::vector<record::SampledEvent>> find_sampled_events(
    const base::SysRoot& root, const std::vector<std::string>& lists);

}  // namespace ringside::measure
