#include "components/cpu/resolve.h"

#include <algorithm>

#include <linux/perf_event.h>

#include "base/fork.h"
#include "base/text.h"
#include "components/cpu/probes.h"
#include "events/native.h"
#include "events/parse.h"

namespace ringside::components::cpu {

namespace {

using platform::EventSource;

// Kinds that the kernel counts itself, whatever the hardware.
bool is_software(const model::Event& event) {
    return event.kind == model::EventKind::probe || event.code.type == PERF_TYPE_SOFTWARE ||
           event.code.type == PERF_TYPE_TRACEPOINT || event.code.type == PERF_TYPE_BREAKPOINT;
}

bool is_generic(const model::Event& event) {
    return event.code.type == PERF_TYPE_HARDWARE || event.code.type == PERF_TYPE_HW_CACHE;
}

std::vector<int> cpus_of(const EventSource& source) {
    return base::parse_cpu_list(source.cpus).value_or(std::vector<int>{});
}

// linux/perf_event.h: the upper half of `config` names the PMU that a generic event is meant for;
// a raw code goes to the PMU by its own type.
Part on_pmu(const model::Event& event, const EventSource& source) {
    Part part{event, source.name, *source.type, cpus_of(source)};
    if (is_generic(event)) {
        part.event.code.config |= std::uint64_t{*source.type} << PERF_PMU_TYPE_SHIFT;
    } else {
        part.event.code.type = *source.type;
    }
    return part;
}

}  // namespace

CountedEvent spread_over_pmus(const model::Event& event, const std::vector<EventSource>& sources) {
    if (is_software(event)) return {{Part{event, {}, software_key, {}}}};
    std::vector<EventSource> cores;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(cores),
                 [](const EventSource& source) { return source.is_cpu && source.type; });
    const bool any_core = is_generic(event) || event.code.type == PERF_TYPE_RAW;
    CountedEvent counted;
    if (any_core && cores.size() > 1) {
        for (const auto& core : cores) counted.parts.push_back(on_pmu(event, core));
        return counted;
    }
    // All that one PMU of the cores counts can share a group, however it was named.
    const auto owner = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
        return any_core ? source.is_cpu : source.type == event.code.type;
    });
    if (owner == sources.end()) return {{Part{event, {}, event.code.type, {}}}};
    counted.parts.push_back({event, {}, owner->type.value_or(PERF_TYPE_RAW), {}});
    if (!owner->is_cpu || cores.size() > 1) {
        counted.parts.front().pmu = owner->name;
        counted.parts.front().cpus = cpus_of(*owner);
    }
    return counted;
}

const std::vector<EventSource>& Resolver::sources() const {
    const base::NoFork no_fork;
    std::call_once(once_, [this] { sources_ = platform::list_event_sources(root_); });
    return sources_;
}

Result<CountedEvent> Resolver::resolve(std::string_view name) const {
    if (is_probe_name(name)) {
        const auto probe = probe_event(root_, name);
        return probe ? Result<CountedEvent>(spread_over_pmus(*probe, {})) : probe.error();
    }
    auto event = events::parse_event(root_, name);
    // What `perf probe` made is a tracepoint of this name; what nobody made yet is made here.
    constexpr std::string_view made_by_perf = "probe:";
    if (!event && name.starts_with(made_by_perf)) {
        return resolve("kprobe:" + std::string(name.substr(made_by_perf.size())));
    }
    if (!event) {
        // "skl::INST_RETIRED:ANY" looks like a tracepoint at first.
        auto native = events::native_event(name);
        if (native || base::contains(name, "::")) event = std::move(native);
    }
    if (!event) return event.error();
    if (is_software(*event)) return spread_over_pmus(*event, {});
    return spread_over_pmus(*event, sources());
}

}  // namespace ringside::components::cpu
