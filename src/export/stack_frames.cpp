#include "export/stack_frames.h"

#include <algorithm>

namespace ringside::exports {

std::vector<StackFrame> stack_frames(const profile::Profile& profile, const profile::Naming& naming,
                                     profile::StackId stack) {
    std::vector<StackFrame> frames;
    for (; stack != profile::empty_stack; stack = profile.stacks[stack].caller) {
        const auto location = profile.stacks[stack].location;
        if (profile::is_comm_frame(location)) continue;
        const auto inlined = naming.inlined_in(location);
        for (auto function = inlined.rbegin(); function != inlined.rend(); ++function)
            frames.push_back({*function, location, true});
        frames.push_back({naming.of_location[location], location, false});
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
}

std::string thread_name(const std::string& comm, const ThreadKey& thread) {
    return thread.machine == 0 ? comm : comm + " (VM " + std::to_string(thread.machine) + ")";
}

profile::Keep keep_timelines() {
    profile::Keep keep;
    keep.comm = keep.pid = keep.tid = keep.stack = keep.timeline = true;
    return keep;
}

}  // namespace ringside::exports
