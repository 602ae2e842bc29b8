#include "export/stacks_csv.h"

#include <fmt/format.h>

#include "base/csv.h"
#include "export/stack_frames.h"

namespace ringside::exports {

namespace {

std::string stack_text(const profile::Profile& profile, const profile::Naming& naming,
                       profile::StackId stack) {
    std::string text;
    for (const auto& frame : stack_frames(profile, naming, stack)) {
        if (!text.empty()) text += ';';
        for (const char letter : naming.functions[frame.function].name)
            text += letter == ';' ? ':' : letter;
    }
    return text;
}

}  // namespace

std::string stacks_csv(const profile::Profile& profile, const profile::Naming& naming) {
    std::string text = "event,comm,pid,tid,mode,dso,symbol,samples,period,stack\n";
    for (const auto& group : profile.groups) {
        const auto& function = naming.functions[naming.of_location[group.location]];
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n",
                            base::csv_field(profile.events[group.event].name),
                            base::csv_field(profile.world->comm(group.comm)), group.pid, group.tid,
                            to_string(function.mode), base::csv_field(function.module),
                            base::csv_field(function.name), group.samples, group.period,
                            base::csv_field(stack_text(profile, naming, group.stack)));
    }
    return text;
}

}  // namespace ringside::exports
