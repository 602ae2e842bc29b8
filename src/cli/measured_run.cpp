#include "cli/measured_run.h"

#include <fmt/format.h>
#include <signal.h>

#include "cli/flat_profile.h"
#include "cli/record_targets.h"
#include "cli/run_command.h"
#include "cli/soft_run.h"
#include "cli/stat_targets.h"
#include "cli/version.h"

namespace ringside::cli {

namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

Result<void> MeasuredRun::start_recorder(pid_t pid) {
    const base::SysRoot root;
    record::Settings settings;
    const std::vector<std::string> clock{"cpu-clock"};
    auto events = find_sampled_events(root, plan_.sampled.empty() ? clock : plan_.sampled);
    if (!events) return events.error();
    settings.events = std::move(*events);
    settings.call_graph = record::CallGraph::frame_pointers;
    for (auto& sampled : settings.events) {
        const std::string& name = sampled.event.name;
        // Rare and each with a cause of its own: none is left out.
        if (name.starts_with("page-faults") || name.starts_with("context-switches")) {
            sampled.period = 1;
        }
    }
    settings.frequency_hz = static_cast<std::uint64_t>(plan_.frequency_hz);
    settings.file = (folder_ / "samples.data").string();
    settings.version = fmt::format("ringside {}", version);
    settings.command_line = plan_.command;
    RecordTargets targets;
    if (auto found = targets.find(root, pid, settings); !found) return found;
    auto recorder = record::Recorder::open(root, std::move(settings));
    if (!recorder) return recorder.error();
    recorder_ = std::move(*recorder);
    notes_ = recorder_->notes();
    return {};
}

// The recorder first and the time last: its window shall begin when the command does.
Result<void> MeasuredRun::attach(pid_t pid) {
    pid_ = pid;
    if (auto done = start_recorder(pid); !done) return done;
    StatTargets targets;
    if (auto sound = targets.check(true); !sound) return sound;
    const auto places = targets.places(pid);
    if (!places) return places.error();
    auto panel = StatPanel::open(session_, events_, *places, true);
    if (panel && panel->forbidden() && events_.front().optional) {
        panel = StatPanel::open(session_, default_events(true), *places, true);
    }
    if (!panel) return panel.error();
    panel_.emplace(std::move(*panel));
    if (auto armed = panel_->start(); !armed) return armed;
    auto keeper = TimeKeeper::open(targets.time_targets(pid), !plan_.no_trace);
    if (!keeper) return keeper.error();
    keeper_.emplace(std::move(*keeper));
    started_ = SteadyClock::now();
    return recorder_->begin();
}

// A command that hangs or prints without end is ended, with all it started.
void MeasuredRun::watch() {
    if (stopped_) return;
    const std::chrono::duration<double> lived = SteadyClock::now() - started_;
    keep_interval(lived.count());
    stopped_ = outputs_->beyond_limits(plan_, lived.count());
    if (stopped_) ::kill(-pid_, SIGKILL);
}

// What came in since the last time, for a timeline. Longer runs have longer intervals, so that they
// stay few: some 200, and 200 more each time the run has become 2.7 times as long.
void MeasuredRun::keep_interval(double lived_s) {
    constexpr double share_of_run = 1.0 / 200;
    constexpr double least_s = 0.02;  // below which rates say little; a whole run may be shorter
    const double lasted_s = lived_s - kept_until_s_;
    if (lasted_s < lived_s * share_of_run || (kept_until_s_ > 0 && lasted_s < least_s)) return;
    auto rows = panel_->read_interval();
    auto time = keeper_->read_interval();
    if (!rows || !time) return;
    kept_until_s_ = lived_s;
    run_.intervals.push_back(
        {lived_s, {rows->begin(), rows->end()}, std::get<TimeSplit>(std::move(*time))});
}

void MeasuredRun::read_counters() {
    const std::chrono::duration<double> lived = SteadyClock::now() - started_;
    panel_->stop();
    auto time = keeper_->read();
    auto rows = panel_->read();
    if (!time || !rows) {
        counted_ = time ? rows.error() : time.error();
        return;
    }
    run_.time = std::get<TimeSplit>(std::move(*time));
    auto left_out = take_left_out(*rows, panel_->events());
    run_.counts.assign(rows->begin(), rows->end());
    for (auto& row : left_out) {
        row.left_out = true;
        run_.counts.push_back(std::move(row));
    }
    keep_interval(lived.count());
}

Result<void> MeasuredRun::collect_profile() {
    const auto summary = recorder_->finish();
    if (!summary) return summary.error();
    if (summary->progress.failure) return *summary->progress.failure;
    const auto flat = load_flat_profile((folder_ / "samples.data").string(), true);
    if (!flat) return flat.error();
    build_ids_ = build_ids_of(*flat);
    add_profile(*flat, false, run_);
    return {};
}

Result<void> MeasuredRun::collect(const base::ExitStatus& status) {
    status_ = status;
    run_.exit_code = status.shell_code();
    if (stopped_) return *stopped_;
    if (!counted_) return counted_;
    if (!run_.time->clock.cpu_ns) run_.time->clock.cpu_ns = status.cpu_ns;
    return collect_profile();
}

void MeasuredRun::count_in_software() {
    auto end = cli::count_in_software(folder_, plan_, run_);
    std::move(end.notes.begin(), end.notes.end(), std::back_inserter(notes_));
    if (end.stopped_by != 0) status_.signal = end.stopped_by;
}

Outcome MeasuredRun::execute() {
    auto outputs = RunOutputs::create(folder_, "");
    if (!outputs) return outputs.error();
    outputs_.emplace(std::move(*outputs));
    CommandHooks hooks;
    outputs_->connect(hooks);
    hooks.before = [&](pid_t pid) { return attach(pid); };
    hooks.tick_every = std::chrono::milliseconds(100);
    hooks.tick = [&] { watch(); };
    hooks.ended = [&] { read_counters(); };
    hooks.after = [&](const base::ExitStatus& status) { return collect(status); };
    Outcome outcome = run_command(plan_.command, OutputChoice(), hooks);
    if (!outcome.error && soft_) count_in_software();
    return outcome;
}

}  // namespace ringside::cli
