#include "cli/soft_run.h"

#include <chrono>

#include <fmt/format.h>
#include <signal.h>

#include "base/error.h"
#include "cli/flat_profile.h"
#include "cli/run_outputs.h"
#include "cli/stat_soft.h"
#include "cli/version.h"
#include "record/soft.h"

namespace ringside::cli {

namespace {

using analysis::StatRows;
using SteadyClock = std::chrono::steady_clock;

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

class SoftExecution {
  public:
    SoftExecution(std::filesystem::path folder, const MeasurePlan& plan, run::Run& run)
        : folder_(std::move(folder)), plan_(plan), run_(run) {}

    Result<StatRows> execute(const std::vector<AskedEvent>& events);
    std::vector<std::string> notes() const { return notes_; }
    int stopped_by() const { return stopped_by_; }

  private:
    std::uint64_t period_of(const soft::Event& event) const {
        return plan_.soft_period > 0 ? static_cast<std::uint64_t>(plan_.soft_period)
                                     : soft::usual_period(event);
    }
    Result<void> check_end(const base::ExitStatus& status);
    Result<void> add_samples(const SoftPanel& panel, const soft::Event& event);

    std::filesystem::path folder_;
    const MeasurePlan& plan_;
    run::Run& run_;
    std::optional<Error> beyond_;
    std::vector<std::string> notes_;
    int stopped_by_ = 0;
};

Result<void> SoftExecution::check_end(const base::ExitStatus& status) {
    if (status.signal == SIGINT || status.signal == SIGTERM) stopped_by_ = status.signal;
    if (beyond_) return *beyond_;
    const int exit_code = run_.exit_code.value_or(0);
    if (status.shell_code() == exit_code) return {};
    return base::fail(ErrorCode::unsupported,
                      fmt::format("under QEMU {} ended with exit code {}, not with {}",
                                  plan_.command[0], status.shell_code(), exit_code));
}

// By way of soft-samples.data, as other samples.
Result<void> SoftExecution::add_samples(const SoftPanel& panel, const soft::Event& event) {
    record::SoftRecording recording;
    recording.folder = panel.folder();
    recording.file = (folder_ / "soft-samples.data").string();
    recording.event = "soft:" + event.stat_name;
    recording.period = period_of(event);
    recording.command_line = plan_.command;
    recording.version = fmt::format("ringside {}", version);
    const auto summary = record::write_soft_recording(base::SysRoot(), recording);
    if (!summary) return summary.error();
    const auto flat = load_flat_profile(recording.file, false);
    if (!flat) return flat.error();
    add_profile(*flat, true, run_);
    return {};
}

Result<StatRows> SoftExecution::execute(const std::vector<AskedEvent>& events) {
    auto outputs = RunOutputs::create(folder_, "soft-");
    if (!outputs) return outputs.error();
    auto panel = SoftPanel::open(events);
    if (!panel) return panel.error();
    std::optional<soft::Event> sampled;
    if (!plan_.soft_sample.empty()) {
        auto found = soft::find_program_event(plan_.soft_sample);
        if (!found) return found.error();
        sampled = std::move(*found);
        panel->sample(*sampled, period_of(*sampled));
    }
    pid_t pid = 0;
    const auto started = SteadyClock::now();
    CommandHooks hooks;
    outputs->connect(hooks);
    hooks.before = [&](pid_t child) {
        pid = child;
        return Result<void>();
    };
    hooks.tick_every = std::chrono::milliseconds(100);
    hooks.tick = [&] {
        const std::chrono::duration<double> lived = SteadyClock::now() - started;
        if (!beyond_) beyond_ = outputs->beyond_limits(plan_, lived.count());
        if (beyond_) ::kill(-pid, SIGKILL);
    };
    hooks.after = [&](const base::ExitStatus& status) { return check_end(status); };
    const Outcome outcome = run_launch(panel->begin(plan_.command), OutputChoice(), hooks);
    if (outcome.error) return *outcome.error;
    auto rows = panel->read();
    if (!rows) return rows.error();
    if (auto ran = panel->check_ran(); !ran) return ran.error();
    if (sampled) {
        if (auto added = add_samples(*panel, *sampled); !added) return added.error();
    }
    notes_ = {
        fmt::format("soft: counted by {} in software, in one execution more", panel->emulator())};
    return rows;
}

}  // namespace

Result<std::vector<AskedEvent>> asked_soft_events(const MeasurePlan& plan) {
    constexpr const char* usual = "instructions,branches,loads,stores";
    std::vector<AskedEvent> events;
    for (const auto& list :
         plan.soft_events.empty() ? std::vector<std::string>{usual} : plan.soft_events) {
        auto more = parse_event_list(list);
        if (!more) return more.error();
        events.insert(events.end(), more->begin(), more->end());
    }
    for (const auto& event : events) {
        if (auto found = soft::find_program_event(event.name); !found) return found.error();
    }
    return events;
}

SoftEnd count_in_software(const std::filesystem::path& folder, const MeasurePlan& plan,
                          run::Run& run) {
    const auto events = asked_soft_events(plan);
    if (!events) return {};  // the plan was checked before
    SoftExecution execution(folder, plan, run);
    auto rows = execution.execute(*events);
    for (auto& row : rows ? *rows : rows_without_value(*events, rows.error())) {
        row.name = "soft:" + row.name;
        run.counts.push_back(std::move(row));
    }
    return {execution.notes(), execution.stopped_by()};
}

}  // namespace ringside::cli
