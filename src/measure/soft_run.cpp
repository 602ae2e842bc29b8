#include "measure/soft_run.h"

#include <fmt/format.h>
#include <signal.h>

#include "base/error.h"
#include "measure/counters.h"
#include "measure/outputs.h"
#include "measure/profile.h"
#include "measure/soft_counters.h"
#include "measure/version.h"
#include "record/soft.h"

namespace ringside::measure {

namespace {

using analysis::StatRows;

StatRows rows_without_value(const std::vector<AskedEvent>& events, const Error& error) {
    StatRows rows;
    for (const auto& event : events) {
        auto& row = rows.emplace_back();
        row.name = event.name;
        row.soft = true;
        row.state = CounterState::absent;
        row.reason = error.what;
    }
    return rows;
}

std::uint64_t period_of(const Plan& plan, const soft::Event& event) {
    return plan.soft_period > 0 ? static_cast<std::uint64_t>(plan.soft_period)
                                : soft::usual_period(event);
}

// By way of soft-samples.data, as other samples.
Result<void> add_samples(const SoftCounters& counters, const soft::Event& event,
                         const std::filesystem::path& folder, const Plan& plan, run::Run& run) {
    record::SoftRecording recording;
    recording.folder = counters.folder();
    recording.file = (folder / "soft-samples.data").string();
    recording.event = "soft:" + event.stat_name;
    recording.period = period_of(plan, event);
    recording.command_line = plan.command;
    recording.version = fmt::format("ringside {}", version);
    const auto summary = record::write_soft_recording(base::SysRoot(), recording);
    if (!summary) return summary.error();
    const auto flat = load_flat_profile(recording.file, false);
    if (!flat) return flat.error();
    add_profile(*flat, true, run);
    return {};
}

// The run that it follows ended otherwise: then it did other work.
Result<void> check_end(const base::ExitStatus& status, const Plan& plan, const run::Run& run) {
    const int exit_code = run.exit_code.value_or(0);
    if (status.shell_code() == exit_code) return {};
    return base::fail(ErrorCode::unsupported,
                      fmt::format("under QEMU {} ended with exit code {}, not with {}",
                                  plan.command[0], status.shell_code(), exit_code));
}

// Its counts.
Result<StatRows> execute(const std::filesystem::path& folder, const Plan& plan,
                         const std::vector<AskedEvent>& events, run::Run& run, int& stopped_by) {
    auto outputs = RunOutputs::create(folder, "soft-", plan);
    if (!outputs) return outputs.error();
    auto counters = SoftCounters::open(events);
    if (!counters) return counters.error();
    std::optional<soft::Event> sampled;
    if (!plan.soft_sample.empty()) {
        auto found = soft::find_program_event(plan.soft_sample);
        if (!found) return found.error();
        sampled = std::move(*found);
        counters->sample(*sampled, period_of(plan, *sampled));
    }
    CommandHooks hooks;
    outputs->connect(hooks);
    hooks.after = [&, within_limits = hooks.after](const base::ExitStatus& status) {
        if (status.signal == SIGINT || status.signal == SIGTERM) stopped_by = status.signal;
        const auto within = within_limits(status);
        return within ? check_end(status, plan, run) : within;
    };
    Engine engine({&*counters});
    run::Run once;
    const Outcome outcome = counters->around(engine, plan.command, std::move(hooks), once);
    if (outcome.error) return *outcome.error;
    if (sampled) {
        if (auto done = add_samples(*counters, *sampled, folder, plan, run); !done) {
            return done.error();
        }
    }
    run.notes.push_back(
        fmt::format("soft: counted by {} in software, in an additional run", counters->emulator()));
    return rows_of(once.counts);
}

}  // namespace

int count_in_software(const std::filesystem::path& folder, const Plan& plan, run::Run& run) {
    const auto events = asked_soft_events(plan);
    if (!events) return 0;  // the plan was checked before
    int stopped_by = 0;
    const auto counted = execute(folder, plan, *events, run, stopped_by);
    auto rows = counted ? *counted : rows_without_value(*events, counted.error());
    for (auto& row : rows) row.name = "soft:" + row.name;
    add_counts(rows, run.counts);
    return stopped_by;
}

}  // namespace ringside::measure
