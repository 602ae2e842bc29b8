#include "export/stack_tree.h"

#include "profile/call_tree.h"

namespace ringside::exports {

namespace {

using model::FrameKind;
using perf::CpuMode;

FrameKind kind_of(const profile::CallTree::Frame& frame) {
    switch (frame.mode) {
        case CpuMode::kernel:
            return FrameKind::kernel;
        case CpuMode::guest_kernel:
            return FrameKind::guest_kernel;
        case CpuMode::guest_user:
            return FrameKind::guest_user;
        case CpuMode::hypervisor:
            return FrameKind::hypervisor;
        default:
            return frame.module.empty() ? FrameKind::thread : FrameKind::user;
    }
}

}  // namespace

model::StackTree stack_tree(const profile::Profile& profile, const profile::Naming& naming,
                            std::size_t event) {
    const profile::CallTree tree(profile, naming, event);
    model::StackTree stacks;
    stacks.event = profile.events[event].name;
    stacks.unit = profile.events[event].in_ns ? "ns" : "";
    for (const auto& frame : tree.frames())
        stacks.frames.push_back({frame.name, frame.module, kind_of(frame)});
    for (const auto& node : tree.nodes())
        stacks.nodes.push_back({node.parent, node.frame, static_cast<double>(node.self)});
    return stacks;
}

}  // namespace ringside::exports
