#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/doctor/doctor_report.h"

namespace ringside::report {

namespace {

using trust::Report;

constexpr std::size_t line_width = 100;

// Words of `text` on lines that begin with `indent` blanks; the first line is begun by the caller.
std::string wrapped(std::string_view text, std::size_t indent) {
    std::string lines;
    std::size_t column = indent;
    for (const auto word : base::split_words(text)) {
        if (column > indent && column + 1 + word.size() > line_width) {
            lines += '\n';
            lines.append(indent, ' ');
            column = indent;
        }
        if (column > indent) lines += ' ';
        lines += word;
        column += word.size() + 1;
    }
    return lines;
}

std::string paint(const Style& style, CounterState state, std::string_view text) {
    switch (state) {
        case CounterState::ok:
            return style.good(text);
        case CounterState::dead:
        case CounterState::starved:
        case CounterState::implausible:
            return style.bad(text);
        case CounterState::not_permitted:
        case CounterState::not_scheduled:
            return style.warn(text);
        case CounterState::absent:
            return style.dim(text);
    }
    return std::string(text);
}

// One report while it is written.
class Page {
  public:
    explicit Page(const Style& style) : style_(style) {}

    void section(std::string_view title) {
        if (!text_.empty()) text_ += '\n';
        text_ += style_.strong(title) + '\n';
    }
    void row(std::string_view label, std::string_view value) {
        text_ += fmt::format("  {:<14} {}\n", label, wrapped(value, 17));
    }
    // A label, a painted state, and what it rests on.
    void judged(std::string_view label, const std::optional<CounterState>& state,
                std::string_view detail) {
        const std::string word = fmt::format("{:<14}", state ? to_string(*state) : "not tested");
        text_ += fmt::format("  {:<26} {} {}\n", label,
                             state ? paint(style_, *state, word) : style_.dim(word),
                             wrapped(detail, 44));
    }
    void item(std::string_view value) { text_ += fmt::format("  - {}\n", wrapped(value, 4)); }
    std::string take() { return std::move(text_); }

  private:
    const Style& style_;
    std::string text_;
};

template <typename T>
std::string value_or_reason(const platform::Fact<T>& fact) {
    return fact.value ? fmt::format("{}", *fact.value) : "not known: " + fact.evidence.text;
}

std::string yes_no(const std::optional<bool>& value, std::string_view reason) {
    const std::string_view word = !value ? "not known" : *value ? "yes" : "no";
    return reason.empty() ? std::string(word) : fmt::format("{}: {}", word, reason);
}

std::string in_words(const platform::Evidence& evidence) {
    return evidence.source.empty() ? evidence.text : evidence.source + ": " + evidence.text;
}

std::string hypervisor_in_words(const platform::Hypervisor& hypervisor) {
    std::string text = hypervisor.name;
    if (!hypervisor.mode.empty()) text += fmt::format(" {}", hypervisor.mode);
    if (hypervisor.vmm != "none" && hypervisor.vmm != hypervisor.name) {
        text += ", VMM " + hypervisor.vmm;
    }
    if (!hypervisor.evidence.empty()) {
        const auto& first = hypervisor.evidence.front();
        text += fmt::format(" ({}: {})", first.source, first.text);
    }
    return text;
}

void write_machine(const Report& report, Page& page) {
    const auto& machine = report.machine;
    page.section("machine");
    page.row("hypervisor", hypervisor_in_words(machine.hypervisor));
    if (!machine.hypervisor.pmu_policy.empty()) {
        page.row("virtual PMU", machine.hypervisor.pmu_policy + ", as the hypervisor says");
    }
    page.row("container", machine.container.runtime);
    page.row("kernel", value_or_reason(machine.kernel_release));
    page.row("processor", value_or_reason(machine.cpu.name) + " (a name, no proof of a PMU)");
    page.row("topology", fmt::format("sockets {}, cores {}, threads {}, NUMA nodes {}",
                                     value_or_reason(machine.topology.sockets),
                                     value_or_reason(machine.topology.cores),
                                     value_or_reason(machine.topology.threads),
                                     value_or_reason(machine.topology.numa_nodes)));
    page.row("can be a host", yes_no(report.kvm.usable, report.kvm.reason));
    if (report.kvm.usable == true) {
        page.row("KVM backend", value_or_reason(machine.kvm_host.backend));
    }
}

std::string host_time_in_words(const trust::TimeReport& time) {
    if (!time.guest_ahead_ns) return "not known: " + time.host_time_reason;
    const double seconds = static_cast<double>(*time.guest_ahead_ns) / 1e9;
    return fmt::format("this machine is {:.6f} s {}: {}", std::abs(seconds),
                       seconds < 0 ? "behind" : "ahead", time.host_time_reason);
}

void write_time(const Report& report, Page& page) {
    page.section("clock and steal");
    const auto& clock = report.machine.clock;
    page.row("clock source", value_or_reason(clock.current));
    page.row("steady counter",
             yes_no(clock.tsc_invariant.value, in_words(clock.tsc_invariant.evidence)));
    page.row("pvclock", yes_no(clock.pvclock.value, in_words(clock.pvclock.evidence)));
    if (report.time.cycles_per_second) {
        page.row("cycles/second",
                 fmt::format("{:.2f} million: {}", *report.time.cycles_per_second / 1e6,
                             report.time.cycles_reason));
    }
    page.row("host's time", host_time_in_words(report.time));
    page.row("steal", yes_no(report.steal.supported, report.steal.supported_reason));
    const auto& steal = report.steal;
    std::string method = steal.per_thread.value_or("none");
    if (!steal.per_thread_reason.empty()) method += ": " + steal.per_thread_reason;
    page.row("per thread", method);
    page.row("CPU time", fmt::format("{} steal: {}", steal.cpu_time, steal.cpu_time_reason));
}

void write_freezes(const trust::WatchReport& watch, Page& page) {
    if (!watch.watched_ns) return;
    page.judged("watch", watch.freezes.empty() ? CounterState::ok : CounterState::starved,
                fmt::format("{} slices in {:.0f} ms, {} times a counter stopped", watch.slices,
                            static_cast<double>(*watch.watched_ns) / 1e6, watch.freezes.size()));
    for (const auto& freeze : watch.freezes) {
        // One that never counted is among the counters above.
        if (freeze.at_ns == 0 && !freeze.until_ns) continue;
        const std::string until =
            freeze.until_ns ? fmt::format("{:.1f} ms", static_cast<double>(*freeze.until_ns) / 1e6)
                            : "the end";
        page.item(fmt::format("counter {} ({}) stopped at {:.1f} ms, until {}", freeze.slot,
                              freeze.event, static_cast<double>(freeze.at_ns) / 1e6, until));
    }
}

void write_pmu(const Report& report, Page& page) {
    const auto& pmu = report.pmu;
    page.section("PMU");
    page.row("present", yes_no(pmu.present, pmu.reason));
    if (pmu.counters.value_or(0) > 0) {
        page.row("counters", fmt::format("{} found by trying, {} of them count", *pmu.counters,
                                         pmu.counters_ok.value_or(0)));
    } else {
        page.row("counters", (pmu.counters ? "none: " : "not known: ") + pmu.counters_reason);
        return;
    }
    if (pmu.user_read.width_bits) {
        page.row("width", fmt::format("{} bits", *pmu.user_read.width_bits));
    }
    for (const auto& slot : pmu.slots) {
        page.judged(fmt::format("counter {} ({})", slot.slot, slot.event), slot.state, slot.detail);
    }
    for (const auto& test : pmu.tests) page.judged(test.name, test.state, test.detail);
    page.judged("user-space reads", pmu.user_read.state, pmu.user_read.detail);
    write_freezes(pmu.watch, page);
    if (!pmu.watch.steal.name.empty()) {
        page.judged(pmu.watch.steal.name, pmu.watch.steal.state, pmu.watch.steal.detail);
    }
}

// Events of these states have little to say one by one: names will do. The JSON has every detail.
bool by_name_only(CounterState state, std::size_t count) {
    constexpr std::size_t many = 4;
    return state == CounterState::absent ||
           ((state == CounterState::dead || state == CounterState::not_permitted) && count > many);
}

void write_names(const std::vector<const trust::Verdict*>& group, Page& page) {
    // What is absent is of little interest by name; `list --all` has each with its reason.
    const bool absent = group.front()->state == CounterState::absent;
    const std::size_t shown = absent ? std::min<std::size_t>(group.size(), 6) : group.size();
    std::string names;
    for (std::size_t i = 0; i < shown; ++i) {
        if (!names.empty()) names += ", ";
        names += group[i]->name;
    }
    if (shown < group.size()) {
        names += fmt::format(" and {} more (`ringside list --all`)", group.size() - shown);
    }
    page.judged(fmt::format("{} events", group.size()), group.front()->state, names);
}

void write_events(const Report& report, Page& page) {
    using enum CounterState;
    constexpr std::array order{ok,    starved, dead, implausible, not_scheduled, not_permitted,
                               absent};
    page.section("events");
    for (const CounterState state : order) {
        std::vector<const trust::Verdict*> group;
        for (const auto& event : report.events) {
            if (event.state == state) group.push_back(&event);
        }
        if (group.empty()) continue;
        if (by_name_only(state, group.size())) {
            write_names(group, page);
            continue;
        }
        for (const auto* event : group) page.judged(event->name, state, event->detail);
    }
}

void write_sampling(const Report& report, Page& page) {
    page.section("sampling");
    page.row("event", report.sampling.event.value_or("none") + ": " + report.sampling.reason);
    for (const auto& test : report.sampling.tests) {
        if (test.state != CounterState::absent) page.judged(test.name, test.state, test.detail);
    }
}

// Most machines have none; that is worth a line only to who asked for one.
void write_page(const trust::PageReport& shared, Page& page) {
    if (!shared.source && !shared.asked_for) return;
    page.section("shared page");
    if (!shared.source) return page.row("page", "none: " + shared.reason);
    page.row("page", *shared.source);
    page.row("policy", shared.policy);
    const auto state = shared.starved.empty() ? CounterState::ok : CounterState::starved;
    page.judged("starved counters", state,
                fmt::format("{} now on {} vCPUs, {:.3f} ms so far", shared.starved.size(),
                            shared.vcpus, static_cast<double>(shared.starved_ns) / 1e6));
    for (const auto& one : shared.starved) {
        page.judged(fmt::format("vCPU {} counter {}", one.vcpu, one.counter), CounterState::starved,
                    fmt::format("event {:#x}, unit mask {:#x}: the guest believes that it counts",
                                one.event >> 8, one.event & 0xff));
    }
    if (shared.unreadable_vcpus != 0) {
        page.item(fmt::format("{} vCPUs could not be read: their part of the page is never settled",
                              shared.unreadable_vcpus));
    }
}

void write_list(std::string_view title, const std::vector<std::string>& lines, Page& page) {
    if (lines.empty()) return;
    page.section(title);
    for (const auto& line : lines) page.item(line);
}

}  // namespace

std::string doctor_text(const Report& report, const Style& style) {
    Page page(style);
    write_machine(report, page);
    write_time(report, page);
    write_pmu(report, page);
    write_events(report, page);
    write_sampling(report, page);
    write_page(report.page, page);
    write_list("advice", report.advice, page);
    write_list("notes", report.notes, page);
    return page.take();
}

}  // namespace ringside::report
