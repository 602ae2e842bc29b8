#include "trust/examine.h"

#include <algorithm>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "trust/advice.h"
#include "trust/judge.h"
#include "trust/kvm_probe.h"
#include "trust/ladder.h"
#include "trust/listing.h"
#include "trust/observe.h"
#include "trust/sampling.h"
#include "trust/self_tests.h"
#include "trust/shared_page.h"
#include "trust/steal.h"
#include "trust/timekeeping.h"
#include "trust/user_read_probe.h"
#include "trust/watch.h"

namespace ringside::trust {

namespace {

using Clock = std::chrono::steady_clock;

bool may_be_starved(const platform::Machine& machine) {
    return machine.hypervisor.virtualized.value.value_or(true);
}

// Whether some counter counts the known loop now. All are tried at once, so that a host that has
// left us a single one is not called dead.
std::optional<bool> some_counter_counts(bool virtualized) {
    const Ladder ladder = Ladder::climb();
    if (ladder.size() == 0) return std::nullopt;
    const auto slots = judge_slots(ladder.measure(measured_iterations), virtualized);
    return std::any_of(slots.begin(), slots.end(),
                       [](const SlotVerdict& slot) { return slot.state == CounterState::ok; });
}

Verdict judge_event(const platform::Machine& machine, const Provocations& provocations,
                    Observer& observer, const model::Event& event) {
    const Observation seen = observer.observe(event, provocations.of(event.name));
    Surroundings around;
    around.virtualized = may_be_starved(machine);
    around.advertised = advertised(machine, event);
    if (needs_reference(seen)) around.reference_alive = some_counter_counts(around.virtualized);
    return judge(seen, around);
}

std::vector<Verdict> judge_events(const platform::Machine& machine) {
    const Provocations provocations;
    Observer observer;
    std::vector<Verdict> verdicts;
    for (const auto& event : judged_events(machine)) {
        verdicts.push_back(judge_event(machine, provocations, observer, event));
    }
    return verdicts;
}

// Present if any hardware event opens. That the processor is known to have a PMU proves nothing.
void find_presence(const platform::Machine& machine, const std::vector<Verdict>& events,
                   PmuReport& pmu) {
    const auto count = [&](CounterState state) {
        return std::count_if(events.begin(), events.end(), [&](const Verdict& event) {
            return event.kind == model::EventKind::hardware && event.state == state;
        });
    };
    const auto hardware = std::count_if(events.begin(), events.end(), [](const Verdict& event) {
        return event.kind == model::EventKind::hardware;
    });
    const platform::EventSource* source = machine.event_sources.cpu();
    const std::string named = source == nullptr ? "the kernel has no event source for the CPU"
                                                : "the kernel drives it as " + source->name;
    if (count(CounterState::not_permitted) > 0) {
        pmu.reason = "this user may not open hardware events; " + named;
        if (source != nullptr) pmu.present = true;
        return;
    }
    const auto opened = hardware - count(CounterState::absent);
    pmu.present = opened > 0;
    pmu.reason = fmt::format("{} of {} generic hardware events open; {}", opened, hardware, named);
}

void count_ok(PmuReport& pmu) {
    pmu.counters_ok = static_cast<int>(
        std::count_if(pmu.slots.begin(), pmu.slots.end(),
                      [](const SlotVerdict& slot) { return slot.state == CounterState::ok; }));
}

// Pins every counter, judges each, and watches them. Returns how long they were held.
std::chrono::nanoseconds examine_counters(const base::SysRoot& root,
                                          const platform::Machine& machine,
                                          std::chrono::milliseconds watch_for, PmuReport& pmu) {
    const auto begin = Clock::now();
    const Ladder ladder = Ladder::climb();
    if (ladder.size() == 0) {
        // Without a PMU none is the number; where trying was refused, it is not known.
        if (pmu.present == false) pmu.counters = pmu.counters_ok = 0;
        pmu.counters_reason = ladder.why_empty();
        pmu.watch.reason = "no counter to watch";
        return {};
    }
    pmu.counters = static_cast<int>(ladder.size());
    pmu.slots = judge_slots(ladder.measure(measured_iterations), may_be_starved(machine));
    count_ok(pmu);
    pmu.watch = watch_and_judge(root, ladder, watch_for);
    return Clock::now() - begin;
}

void run_self_tests(PmuReport& pmu) {
    pmu.tests.push_back(test_stopped());
    if (pmu.counters_ok.value_or(0) >= 3) {
        pmu.tests.push_back(test_levels());
    } else {
        pmu.tests.push_back({"levels", std::nullopt, "it needs three counters that count"});
    }
    pmu.tests.push_back(test_exits());
    if (pmu.counters.value_or(0) > 0) pmu.tests.push_back(test_multiplexing(*pmu.counters));
    pmu.user_read = judge_user_read(observe_user_read());
}

void add_notes(const platform::Machine& machine, std::chrono::nanoseconds held, Report& report) {
    if (held.count() > 0) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(held).count();
        report.notes.push_back(fmt::format(
            "This examination pinned all {} counters for {} ms on the CPU it ran on.{}",
            *report.pmu.counters, ms,
            may_be_starved(machine)
                ? " In a guest they are borrowed: tools that count on the host's CPUs without "
                  "pinning may have gone without meanwhile."
                : " Tools that count on all CPUs without pinning may have gone without "
                  "meanwhile."));
    }
    if (report.pmu.counters_ok.value_or(0) < report.pmu.counters.value_or(0)) {
        report.notes.push_back(fmt::format(
            "Events were judged one at a time. At the same time only {} of {} counters count: more "
            "events than that at once will read too little.",
            *report.pmu.counters_ok, *report.pmu.counters));
    }
    if (!machine.permissions.may_count_kernel()) {
        report.notes.push_back("Kernel mode was not looked at: this user may not count there.");
    }
    if (!machine.event_sources.readable.value.value_or(false)) {
        report.notes.push_back("The kernel's list of event sources could not be read: " +
                               machine.event_sources.readable.evidence.text);
    }
}

}  // namespace

Verdict examine_event(const platform::Machine& machine, const model::Event& event) {
    Observer observer;
    return judge_event(machine, Provocations(), observer, event);
}

Report examine(const base::SysRoot& root, const ExamineOptions& options) {
    const auto begin = Clock::now();
    Report report;
    report.machine = platform::describe(root);
    report.nmi_watchdog = root.read_trimmed("/proc/sys/kernel/nmi_watchdog").value_or("") == "1";
    report.kvm = probe_kvm(report.machine.kvm_host);
    report.time = examine_time(report.machine.clock);
    report.steal = examine_steal(report.machine);
    report.events = judge_events(report.machine);
    find_presence(report.machine, report.events, report.pmu);
    const auto held = examine_counters(root, report.machine, options.watch, report.pmu);
    run_self_tests(report.pmu);
    report.sampling = choose_sampling();
    report.page = examine_page(root, options.page_file);
    add_notes(report.machine, held, report);
    report.advice = advise(report);
    report.took_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return report;
}

}  // namespace ringside::trust
