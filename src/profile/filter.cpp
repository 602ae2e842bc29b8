#include "profile/filter.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "profile/symbolize.h"

namespace ringside::profile {

namespace {

using perf::CpuMode;

template <typename List, typename Value>
bool passes_list(const List& wanted, const Value& value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

}  // namespace

bool Filter::passes(const perf::FullSample& sample) const {
    return passes_list(pids, sample.pid) && passes_list(tids, sample.tid) &&
           passes_list(cpus, sample.cpu) && passes_list(modes, sample.mode);
}

bool Filter::passes_comm(std::string_view comm) const {
    return passes_list(comms, comm);
}

Result<std::vector<CpuMode>> parse_modes(std::string_view text) {
    const std::vector<CpuMode> host{CpuMode::user, CpuMode::kernel, CpuMode::hypervisor};
    const std::vector<CpuMode> guest{CpuMode::guest_user, CpuMode::guest_kernel};
    std::vector<CpuMode> modes;
    for (const auto part : base::split(text, ',')) {
        const auto name = base::trim(part);
        const std::size_t before = modes.size();
        for (const auto& side : {host, guest})
            for (const auto mode : side)
                if (name == to_string(mode)) modes.push_back(mode);
        if (name == "host") modes.insert(modes.end(), host.begin(), host.end());
        if (name == "guest") modes.insert(modes.end(), guest.begin(), guest.end());
        if (modes.size() == before)
            return base::fail(ErrorCode::bad_input, "no mode \"" + std::string(name) + "\"",
                              "use user, kernel, hypervisor, guest_user, guest_kernel, host or "
                              "guest");
    }
    return modes;
}

void keep_named(Profile& profile, const Naming& naming, const Filter& filter) {
    if (filter.modules.empty() && filter.symbols.empty()) return;
    constexpr std::uint32_t dropped = ~std::uint32_t{0};
    std::vector<std::uint32_t> moved_to(profile.groups.size(), dropped);
    std::vector<Group> kept;
    for (std::size_t i = 0; i < profile.groups.size(); ++i) {
        const Group& group = profile.groups[i];
        const Function& function = naming.functions[naming.of_location[group.location]];
        if (!passes_list(filter.modules, function.module) ||
            !passes_list(filter.symbols, function.name))
            continue;
        moved_to[i] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(group);
    }
    profile.groups = std::move(kept);
    for (auto& instant : profile.timeline) instant.group = moved_to[instant.group];
    std::erase_if(profile.timeline,
                  [](const Instant& instant) { return instant.group == dropped; });
}

}  // namespace ringside::profile
