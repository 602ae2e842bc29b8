#include "trust/listing.h"

#include <algorithm>

#include <fnmatch.h>
#include <linux/perf_event.h>

#include "base/text.h"
#include "events/catalogue.h"
#include "events/pmu.h"
#include "perf/event_fd.h"
#include "trust/observe.h"

namespace ringside::trust {

namespace {

std::optional<std::uint64_t> code_in(std::string_view terms) {
    constexpr std::string_view key = "event=0x";
    if (!terms.starts_with(key)) return std::nullopt;
    return base::parse_u64(terms.substr(key.size()), 16);
}

// Events of an uncore PMU count for a CPU and its neighbours, never for a thread.
std::optional<int> first_cpu(const platform::Machine& machine, const model::Event& event) {
    const auto pmu = std::string_view(event.name).substr(0, event.name.find('/'));
    const platform::EventSource* source = machine.event_sources.find(pmu);
    if (source == nullptr || source->is_cpu || source->cpus.empty()) return std::nullopt;
    const auto cpus = base::parse_cpu_list(source->cpus);
    if (!cpus || cpus->empty()) return std::nullopt;
    return cpus->front();
}

Listed try_open(const platform::Machine& machine, const model::Event& event) {
    Listed listed{event, CounterState::ok, {}};
    if (const auto cpu = first_cpu(machine, event)) {
        const auto fd = perf::EventFd::open(event, {-1, *cpu});
        if (!fd) listed = {event, perf::state_of(fd.error()), fd.error().what};
        return listed;
    }
    const Opened opened = open_as_permitted(event, Level::any);
    if (!opened.fd) return {event, perf::state_of(opened.fd.error()), opened.fd.error().what};
    if (advertised(machine, event) == false) {
        return {event, CounterState::absent, "it opens, but the PMU does not list it"};
    }
    if (opened.user_only) listed.reason = "user mode only";
    return listed;
}

// The kernel patches its code for every tracepoint that is opened and waits when it is closed:
// measured at 36 ms each on a 6.18 guest, over a minute for all 2300. So one that matches is
// opened, and its answer is taken for the others; a single one may still be refused.
void list_tracepoints(const base::SysRoot& root, const platform::Machine& machine,
                      std::string_view pattern, std::vector<Listed>& all) {
    std::optional<Listed> sample;
    for (const auto& event : events::tracepoints(root)) {
        if (!matches(event.name, pattern)) continue;
        if (!sample) sample = try_open(machine, event);
        all.push_back({event, sample->state, sample->reason});
    }
}

}  // namespace

std::vector<model::Event> judged_events(const platform::Machine& machine) {
    std::vector<model::Event> all;
    for (auto& entry : events::generic_events()) all.push_back(std::move(entry.event));
    auto architectural = events::architectural_events(platform::event_line(machine.cpu));
    std::move(architectural.begin(), architectural.end(), std::back_inserter(all));
    return all;
}

std::optional<bool> advertised(const platform::Machine& machine, const model::Event& event) {
    const platform::EventSource* source = machine.event_sources.cpu();
    if (machine.cpu.arch != platform::Arch::arm64 || source == nullptr ||
        event.code.type != PERF_TYPE_RAW) {
        return std::nullopt;
    }
    return std::any_of(source->events.begin(), source->events.end(), [&](const auto& listed) {
        return code_in(listed.text) == event.code.config;
    });
}

std::vector<Listed> list_events(const base::SysRoot& root, const platform::Machine& machine,
                                std::string_view pattern) {
    std::vector<Listed> all;
    for (const auto& event : judged_events(machine)) {
        if (matches(event.name, pattern)) all.push_back(try_open(machine, event));
    }
    for (const auto& event : events::pmu_events(root)) {
        if (matches(event.name, pattern)) all.push_back(try_open(machine, event));
    }
    list_tracepoints(root, machine, pattern, all);
    return all;
}

bool matches(std::string_view name, std::string_view pattern) {
    if (pattern.find_first_of("*?[") == std::string_view::npos) {
        return base::contains(base::to_lower(name), base::to_lower(pattern));
    }
    return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), FNM_CASEFOLD) == 0;
}

}  // namespace ringside::trust
