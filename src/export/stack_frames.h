// The frames of a stack by function, inlined ones included: what most formats ask for.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

struct StackFrame {
    profile::FunctionId function = 0;
    profile::LocationId location = 0;
    bool inlined = false;
};

// Outermost first, without the thread's name.
std::vector<StackFrame> stack_frames(const profile::Profile& profile, const profile::Naming& naming,
                                     profile::StackId stack);

// A group is of a thread if these agree.
struct ThreadKey {
    std::uint32_t machine = 0;  // the VMM of a guest's thread; 0 is the host
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;

    auto operator<=>(const ThreadKey&) const = default;
};
inline ThreadKey thread_of(const profile::Group& group) {
    return {group.machine, group.pid, group.tid};
}

// "comm", and for a guest's thread "comm (VM 4711)".
std::string thread_name(const std::string& comm, const ThreadKey& thread);

// What an export that shows threads over time must load.
profile::Keep keep_timelines();

}  // namespace ringside::exports
