#include "components/cpu/witness.h"

#include <linux/perf_event.h>

#include "base/fork.h"
#include "trust/examine.h"
#include "trust/listing.h"
#include "trust/user_read_probe.h"

namespace ringside::components::cpu {

namespace {

// A raw code is the same whether it goes to "the CPU's PMU" or to that PMU by its number.
bool same_code(const model::EventCode& one, const model::EventCode& known,
               const platform::EventSource* core) {
    if (one == known) return true;
    const bool by_number = core != nullptr && core->type == one.type;
    return by_number && known.type == PERF_TYPE_RAW && one.config == known.config &&
           one.config1 == known.config1 && one.config2 == known.config2;
}

}  // namespace

const platform::Machine& Witness::machine() const {
    const base::NoFork no_fork;
    std::call_once(machine_once_, [this] { machine_ = platform::describe(root_); });
    return machine_;
}

bool Witness::virtualized() const {
    return machine().hypervisor.virtualized.value.value_or(true);
}

const trust::UserRead& Witness::user_read() const {
    const base::NoFork no_fork;
    std::call_once(user_read_once_,
                   [this] { user_read_ = trust::judge_user_read(trust::observe_user_read()); });
    return user_read_;
}

const trust::Provocations& Witness::provocations() const {
    const base::NoFork no_fork;
    std::call_once(provocations_once_, [this] { provocations_.emplace(); });
    return *provocations_;
}

model::Event Witness::as_in_tables(const model::Event& event) const {
    model::Event plain = event;
    plain.exclude = {};
    if (plain.code.type == PERF_TYPE_HARDWARE || plain.code.type == PERF_TYPE_HW_CACHE) {
        plain.code.config &= PERF_HW_EVENT_MASK;  // without the kind of core it was meant for
    }
    for (auto& known : trust::judged_events(machine())) {
        if (same_code(plain.code, known.code, machine().event_sources.cpu())) return known;
    }
    return plain;
}

trust::Verdict Witness::examine(const model::Event& event) const {
    const model::Event known = as_in_tables(event);
    const std::lock_guard lock(mutex_);
    const auto found = verdicts_.find(known.name);
    if (found != verdicts_.end()) return found->second;
    auto verdict = trust::examine_event(machine(), known);
    // A host gives counters back; whatever else is wrong with an event stays so.
    if (verdict.state != CounterState::starved) verdicts_.emplace(known.name, verdict);
    return verdict;
}

double Witness::least_in_loop(const model::Event& event) const {
    const trust::Provocation how = provocations().of(as_in_tables(event).name);
    if (how.workload != trust::Workload::loop || event.exclude.user) return 0;
    return static_cast<double>(how.least) / static_cast<double>(trust::measured_iterations);
}

}  // namespace ringside::components::cpu
