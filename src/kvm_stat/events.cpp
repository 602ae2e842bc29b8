#include "kvm_stat/events.h"

#include <array>
#include <string>

#include "base/error.h"
#include "events/pmu.h"
#include "proc/mounts.h"

namespace ringside::kvm_stat {

namespace {

constexpr std::array names{"kvm_entry", "kvm_exit"};

// The folder of all tracepoints, where it is mounted.
Result<std::string> tracepoints_folder(const base::SysRoot& root) {
    const std::string folder = proc::tracefs_folder(root) + "/events";
    const auto listed = root.list(folder);
    if (listed && !listed->empty()) return folder;
    if (!listed && listed.error().code == ErrorCode::not_permitted)
        return base::fail(ErrorCode::not_permitted, "tracefs may not be read by this user",
                          "run as root");
    return base::fail(ErrorCode::not_found, "tracefs is not mounted",
                      "mount -t tracefs none /sys/kernel/tracing, as root");
}

Result<std::string> kvm_folder(const base::SysRoot& root) {
    auto events = tracepoints_folder(root);
    if (!events) return events;
    const std::string folder = *events + "/kvm";
    for (const auto* name : names)
        if (!root.exists(folder + "/" + name))
            return base::fail(
                ErrorCode::not_found,
                std::string("this kernel has no tracepoint kvm:") + name + ": KVM is not loaded",
                "only a KVM host has exits; there, modprobe kvm_amd or kvm_intel");
    return folder;
}

}  // namespace

Result<std::vector<record::SampledEvent>> passage_events(const base::SysRoot& root) {
    if (const auto folder = kvm_folder(root); !folder) return folder.error();
    std::vector<record::SampledEvent> found;
    for (const auto* name : names) {
        auto event = events::tracepoint(root, "kvm", name);
        if (!event) return event.error();
        // They fire in the kernel: with less than all modes nothing would be left of them.
        event->modes_named = true;
        found.push_back({std::move(*event), {}});
    }
    return found;
}

Result<std::vector<perf::TracepointFormat>> passage_formats(const base::SysRoot& root) {
    const auto folder = kvm_folder(root);
    if (!folder) return folder.error();
    std::vector<perf::TracepointFormat> formats;
    for (const auto* name : names) {
        const std::string path = *folder + "/" + name + "/format";
        const auto text = root.read(path);
        if (!text) return text.error();
        auto format = perf::parse_tracepoint_format(*text);
        if (!format) return base::fail(ErrorCode::io, "cannot understand " + path);
        formats.push_back(std::move(*format));
    }
    return formats;
}

}  // namespace ringside::kvm_stat
