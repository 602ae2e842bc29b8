#include "measure/soft_counters.h"

#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/install_paths.h"
#include "measure/counters.h"

namespace ringside::measure {

namespace {

using analysis::StatRow;
using analysis::StatRows;

// More than a machine could execute in years: nobody counted that.
constexpr std::uint64_t most_plausible = std::uint64_t{1} << 60;

std::vector<AskedEvent> default_soft_events() {
    std::vector<AskedEvent> events;
    for (const char* name : {"instructions", "branches", "taken-branches"}) {
        events.emplace_back().name = name;
    }
    return events;
}

}  // namespace

Result<base::ScratchDir> make_soft_folder() {
    auto folder = base::ScratchDir::make_in_memory("ringside-soft");
    constexpr mode_t others_may_add = 01733;
    if (folder && ::geteuid() == 0) ::chmod(folder->path().c_str(), others_may_add);
    return folder;
}

Result<std::string> find_soft_plugin() {
    const std::string file = "libringside-soft.so";
    const auto folder = base::find_own_folder("softpmu", file);
    if (!folder) return folder.error();
    return *folder + "/" + file;
}

Outcome not_launched(const Error& error) {
    switch (error.code) {
        case ErrorCode::not_found:
            return Outcome(base::exit_not_found, error);
        case ErrorCode::not_permitted:
            return Outcome(base::exit_cannot_execute, error);
        default:
            return error;
    }
}

Result<SoftCounters> SoftCounters::open(std::vector<AskedEvent> events) {
    SoftCounters counters;
    counters.events_ = events.empty() ? default_soft_events() : std::move(events);
    for (const AskedEvent& event : counters.events_) {
        if (event.metric || !event.filter.empty()) {
            return base::fail(ErrorCode::unsupported,
                              "the soft PMU has no metrics and no filters: " + event.set_name());
        }
        auto found = soft::find_program_event(event.name);
        if (!found) return found.error();
        counters.found_.push_back(std::move(*found));
    }
    auto plugin = find_soft_plugin();
    if (!plugin) return plugin.error();
    counters.plugin_ = std::move(*plugin);
    return counters;
}

Result<soft::Launch> SoftCounters::launch(const std::vector<std::string>& command) {
    auto folder = make_soft_folder();
    if (!folder) return folder.error();
    folder_.emplace(std::move(*folder));
    last_ = interval_begin_ = {};
    soft::LaunchOptions options;
    options.plugin = plugin_;
    options.folder = folder_->path();
    for (const auto& event : found_) options.want(event);
    if (sampled_) options.sample(*sampled_, period_);
    auto launch = soft::plan_launch(command, options);
    if (launch) emulator_ = std::filesystem::path(launch->command.front()).filename();
    return launch;
}

StatRows SoftCounters::rows(const soft::RunCounts& counts) const {
    StatRows rows;
    const std::string incomplete = fmt::format("{}", fmt::join(counts.notes(), "; "));
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const unsigned counter = found_[i].counter;
        StatRow& row = rows.emplace_back();
        row.name = events_[i].name;
        row.soft = true;
        row.value = static_cast<double>(counts.totals[counter]);
        if ((counts.counted >> counter & 1) == 0) {
            row.state = CounterState::absent;
            row.reason = "nothing was counted";
        } else if (counts.totals[counter] > most_plausible) {
            row.state = CounterState::implausible;
            row.reason = "no program executes so much; something wrote into the counts";
        } else if (!incomplete.empty()) {
            row.state = CounterState::implausible;
            row.reason =
                fmt::format("more than the {} counted: {}", counts.totals[counter], incomplete);
        }
    }
    return rows;
}

Outcome SoftCounters::around(Engine& engine, const std::vector<std::string>& command,
                             CommandHooks hooks, run::Run& run) {
    const auto how = launch(command);
    if (!how) return not_launched(how.error());
    hooks.extra_env = how->environment;
    return engine.around(how->command, std::move(hooks), run);
}

Result<void> SoftCounters::read_interval(run::Interval& interval) {
    auto counts = soft::read_run(folder_->path());
    if (!counts) return counts.error();
    soft::RunCounts gained = *counts;
    for (std::size_t i = 0; i < gained.totals.size(); ++i) {
        gained.totals[i] -= interval_begin_.totals[i];
    }
    interval_begin_ = std::move(*counts);
    add_counts(rows(gained), interval.counts);
    return {};
}

Result<void> SoftCounters::end() {
    auto counts = soft::read_run(folder_->path());
    if (!counts) return counts.error();
    last_ = std::move(*counts);
    return {};
}

Result<void> SoftCounters::collect(const std::optional<base::ExitStatus>&, run::Run& run) {
    if (last_.totals[SOFT_INSTRUCTIONS] == 0) {
        return base::fail(ErrorCode::unsupported,
                          emulator_ + " ended before the command's first instruction",
                          "what it said about that is above");
    }
    add_counts(rows(last_), run.counts);
    return {};
}

std::string SoftCounters::note() const {
    return fmt::format(
        "soft: counted by {0} in software, not by this machine; the time is that of {0}",
        emulator_);
}

}  // namespace ringside::measure
