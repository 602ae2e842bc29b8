// `ringside stat`: counts events of a command, of processes, CPUs or the machine, says of each
// value whether it can be believed, and where the time went meanwhile.
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"
#include "cli/run_command.h"
#include "cli/stat_panel.h"
#include "cli/stat_soft.h"
#include "cli/stat_targets.h"
#include "cli/stat_time.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/waiting.h"
#include "report/stat/stat_report.h"

namespace ringside::cli {

namespace {

using analysis::StatRows;
using base::fail;

// What was measured in each run.
struct Runs {
    std::vector<StatRows> rows;
    std::vector<TimeReport> times;
    std::optional<int> exit_code;  // of the first that failed, or of the last
    bool interrupted = false;
};

class StatVerb final : public Verb {
  public:
    std::string name() const override { return "stat"; }
    std::string summary() const override {
        return "count events of a command, a process or the machine, and say what can be believed";
    }
    std::string examples() const override {
        return "  ringside stat -- make -j4               what counts here, and where the time "
               "went\n"
               "  ringside stat -e cycles:u,page-faults -r 5 -- ./a.out\n"
               "                                          mean, spread and confidence of 5 runs\n"
               "  ringside stat -M topdown,ipc -- ./a.out metrics; a wrong name lists them all\n"
               "  ringside stat -a -I 1000                the machine, every second, until Ctrl-C\n"
               "  ringside stat -p 4711 --per-thread -- sleep 5\n"
               "                                          a process for 5 s, thread by thread\n"
               "  ringside stat -e kvm:kvm_msr --filter 'ecx == 0xc1' -a -- sleep 1\n"
               "                                          a tracepoint, some of it\n"
               "  ringside stat -e kprobe:do_exit,uprobe:/bin/bash:readline -a -- sleep 1\n"
               "                                          calls of functions, kernel's and "
               "program's\n"
               "  ringside stat --require -e instructions -- ./a.out\n"
               "                                          fails (125) unless the value can be "
               "used\n"
               "  ringside stat --soft -- ./a.out         exact counts without a PMU, under QEMU\n"
               "  ringside stat --json -o s.json -- ./a.out\n"
               "\n"
               "events: cycles, r1a2, cpu/event=0x3c/, skl::INST_RETIRED:ANY, page-faults,\n"
               "  sched:sched_switch, kprobe:FUNC[+OFF], uprobe:PATH:FUNC[+OFF], "
               "net:::eth0:rx:bytes;\n"
               "  `ringside list` has those of this machine. Modifiers: :u user, :k kernel,\n"
               "  :G guests, :H not guests, :D on its counter always or in error.\n"
               "states: ok (an honest 0 included), dead (never counts), starved (the host took "
               "the\n"
               "  counter), absent, not_permitted, not_scheduled (never got a counter), "
               "implausible.\n";
    }
    void declare(Options& options) override;
    Outcome run() override;

  private:
    Result<void> check();
    Result<void> check_soft();
    Result<void> add_metrics();
    Result<void> mark_required();

    Result<void> open(int child);
    Result<void> open_panel(int child, bool held);
    Result<void> tick();
    Result<void> finish(Runs& runs);
    Result<void> show_interval();
    const std::vector<AskedEvent>& asked() const;
    Outcome measure_command(Runs& runs);
    Outcome measure_alone(Runs& runs);
    report::StatReport report_of(Runs runs) const;
    Result<void> write(const report::StatReport& report);
    // At once, or with all the rest where it goes into a file.
    Result<void> emit(const std::string& text);

    OutputChoice output_;
    StatTargets targets_;
    std::vector<AskedEvent> events_;
    std::vector<std::string> metrics_;
    std::optional<std::string> require_;
    double runs_wanted_ = 1;
    double interval_ms_ = 0;
    bool trace_ = false;
    bool in_software_ = false;
    std::vector<std::string> command_;

    std::optional<Session> session_;
    std::optional<StatPanel> panel_;
    std::optional<SoftPanel> soft_;  // in its place
    std::optional<TimeKeeper> time_;
    std::uint64_t start_ns_ = 0;
    std::string written_;              // for the file
    std::optional<Error> tick_error_;  // the first that a tick met
};

void StatVerb::declare(Options& options) {
    options.each(
        "-e, --event", "EVENTS",
        [this](const std::string& text) -> Result<void> {
            auto more = parse_event_list(text);
            if (!more) return more.error();
            events_.insert(events_.end(), more->begin(), more->end());
            return {};
        },
        "count these, with commas between; may be repeated");
    options.each(
        "--filter", "EXPR",
        [this](const std::string& text) -> Result<void> {
            if (events_.empty()) {
                return fail(ErrorCode::bad_input, "--filter belongs behind the -e it filters");
            }
            events_.back().filter = text;
            return {};
        },
        "count of the last tracepoint only what this holds for");
    options.texts("-M, --metric", "NAMES", metrics_, "metrics, or a group of them: topdown");
    options.number("-r, --repeat", "N", runs_wanted_, "run the command N times");
    options.number("-I, --interval", "MS", interval_ms_, "also show what came in every MS ms");
    targets_.declare(options);
    options.optional_text("--require", "EVENTS", require_,
                          "fail unless these, or all, can be counted and believed");
    options.flag("--trace", trace_,
                 "tell all parts of the time apart by BPF; takes some 0.1 s to set up");
    options.flag("--soft", in_software_,
                 "count the command's instructions, branches and accesses in software, under QEMU");
    declare_output(options, output_, true);
    options.command(command_);
}

Result<void> StatVerb::check() {
    if (auto sound = targets_.check(!command_.empty()); !sound) return sound;
    if (runs_wanted_ < 1 || runs_wanted_ > 1e6 || runs_wanted_ != std::floor(runs_wanted_)) {
        return fail(ErrorCode::bad_input, "-r wants a number of runs, 1 or more");
    }
    if (runs_wanted_ > 1 && command_.empty()) {
        return fail(ErrorCode::bad_input, "-r repeats a command, and there is none");
    }
    if (interval_ms_ != 0 && (interval_ms_ < 1 || interval_ms_ > 1e9)) {
        return fail(ErrorCode::bad_input, "-I wants milliseconds, 1 or more");
    }
    if (interval_ms_ != 0 && runs_wanted_ > 1) {
        return fail(ErrorCode::bad_input, "-I and -r exclude each other");
    }
    if (auto added = add_metrics(); !added) return added;
    if (in_software_) return check_soft();
    if (events_.empty()) events_ = default_events(false);
    return mark_required();
}

Result<void> StatVerb::check_soft() {
    if (!targets_.of_command() || command_.empty()) {
        return fail(ErrorCode::bad_input, "--soft counts a command that it starts",
                    "give one after --, without -p, -t, -a, -C or --cgroup");
    }
    if (auto marked = mark_required(); !marked) return marked;
    auto panel = SoftPanel::open(std::move(events_));
    if (!panel) return panel.error();
    soft_.emplace(std::move(*panel));
    return {};
}

const std::vector<AskedEvent>& StatVerb::asked() const {
    return soft_ ? soft_->events() : panel_->events();
}

Result<void> StatVerb::add_metrics() {
    for (const auto& list : metrics_) {
        auto names = parse_event_list(list);
        if (!names) return names.error();
        for (const auto& each : *names) {
            auto found = find_metrics(*session_, each.name);
            if (!found) return found.error();
            events_.insert(events_.end(), found->begin(), found->end());
        }
    }
    return {};
}

Result<void> StatVerb::mark_required() {
    if (!require_) return {};
    if (require_->empty()) {
        for (auto& event : events_) event.required = true;
        return {};
    }
    auto wanted = parse_event_list(*require_);
    if (!wanted) return wanted.error();
    for (const auto& name : *wanted) {
        bool there = false;
        for (auto& event : events_) {
            if (event.name != name.name) continue;
            event.required = there = true;
        }
        if (there) continue;
        events_.push_back(name);
        events_.back().required = true;
    }
    return {};
}

// The counters first, the time last: its window shall begin when the command does.
Result<void> StatVerb::open(int child) {
    const bool held = targets_.of_command();
    if (auto opened = soft_ ? Result<void>() : open_panel(child, held); !opened) return opened;
    const auto targets = targets_.time_targets(child);
    auto time = TimeKeeper::open(targets, trace_);
    if (!time) return time.error();
    time_.emplace(std::move(*time));
    start_ns_ = real_ns();
    if (held) return {};
    return panel_->start();
}

Result<void> StatVerb::open_panel(int child, bool held) {
    const auto places = targets_.places(child);
    if (!places) return places.error();
    auto panel = StatPanel::open(*session_, events_, *places, held);
    if (panel && panel->forbidden() && events_.front().optional) {
        panel = StatPanel::open(*session_, default_events(true), *places, held);
    }
    if (!panel) return panel.error();
    if (panel->forbidden() && !held) {
        return fail(ErrorCode::not_permitted, "none of this may be counted by this user",
                    "lower kernel.perf_event_paranoid, or grant CAP_PERFMON");
    }
    panel_.emplace(std::move(*panel));
    return held ? panel_->start() : Result<void>();
}

Result<void> StatVerb::emit(const std::string& text) {
    if (!output_.file.empty()) {
        written_ += text;
        return {};
    }
    if (output_.takes_stdout()) return base::write_all(STDOUT_FILENO, text, "standard output");
    print_text(stderr, text);
    return {};
}

Result<void> StatVerb::show_interval() {
    auto rows = soft_ ? soft_->read_interval() : panel_->read_interval();
    if (!rows) return rows.error();
    auto time = time_->read_interval();
    if (!time) return time.error();
    report::StatInterval interval{static_cast<double>(real_ns() - start_ns_) / 1e9,
                                  std::move(*rows), std::move(*time)};
    static_cast<void>(take_left_out(interval.rows, asked()));
    if (output_.json) return emit(report::stat_json(interval));
    if (output_.csv) return emit(report::stat_csv(interval));
    return emit(
        report::stat_text(interval, report::Style(output_.file.empty() ? stderr : nullptr)));
}

Result<void> StatVerb::tick() {
    if (tick_error_) return *tick_error_;
    auto shown = show_interval();
    if (!shown) tick_error_ = shown.error();
    return shown;
}

Result<void> StatVerb::finish(Runs& runs) {
    if (panel_) panel_->stop();
    if (tick_error_) return *tick_error_;
    if (interval_ms_ > 0) {
        if (auto last = show_interval(); !last) return last;
    }
    auto time = time_->read();
    if (!time) return time.error();
    auto rows = soft_ ? soft_->read() : panel_->read();
    if (!rows) return rows.error();
    if (soft_) {
        if (auto ran = soft_->check_ran(); !ran) return ran;
    }
    runs.times.push_back(std::move(*time));
    runs.rows.push_back(std::move(*rows));
    return {};
}

Outcome StatVerb::measure_command(Runs& runs) {
    Result<void> finished;
    CommandHooks hooks;
    hooks.before = [&](pid_t pid) { return open(pid); };
    hooks.tick_every = std::chrono::milliseconds(static_cast<std::int64_t>(interval_ms_));
    hooks.tick = [&] { static_cast<void>(tick()); };
    hooks.ended = [&] { finished = finish(runs); };
    hooks.after = [&](const base::ExitStatus& status) {
        if (runs.exit_code.value_or(0) == 0) runs.exit_code = status.shell_code();
        runs.interrupted = status.signal == SIGINT;
        // Without BPF nobody adds up the CPU time of a tree but wait(), at its end.
        auto* split = finished ? std::get_if<TimeSplit>(&runs.times.back()) : nullptr;
        if (split != nullptr && targets_.of_command() && !split->clock.cpu_ns) {
            split->clock.cpu_ns = status.cpu_ns;
        }
        return finished;
    };
    if (soft_) return run_launch(soft_->begin(command_), output_, std::move(hooks));
    return run_command(command_, output_, hooks);
}

Outcome StatVerb::measure_alone(Runs& runs) {
    if (auto opened = open(0); !opened) return opened.error();
    const auto every = std::chrono::milliseconds(static_cast<std::int64_t>(interval_ms_));
    auto waited = wait_until_stopped(targets_.awaited_process(), every,
                                     [this] { static_cast<void>(tick()); });
    if (!waited) return waited.error();
    if (auto finished = finish(runs); !finished) return finished.error();
    return 0;
}

report::StatReport StatVerb::report_of(Runs runs) const {
    report::StatReport report;
    report.subject = command_.empty() || !targets_.of_command()
                         ? targets_.subject()
                         : fmt::format("{}", fmt::join(command_, " "));
    report.command = command_;
    report.runs = runs.rows.size();
    report.rows = analysis::over_runs(runs.rows);
    report.left_out = take_left_out(report.rows, asked());
    if (soft_) report.notes = {soft_->note()};
    report.time = average(runs.times);
    std::vector<double> walls;
    for (const auto& time : runs.times) walls.push_back(static_cast<double>(wall_ns(time)));
    if (walls.size() > 1) report.wall = analysis::summarize(walls);
    report.exit_code = runs.exit_code;
    return report;
}

Result<void> StatVerb::write(const report::StatReport& report) {
    const bool to_file = !output_.file.empty();
    std::string text;
    if (output_.json) {
        text = report::stat_json(report, interval_ms_ > 0);
    } else if (output_.csv) {
        text = report::stat_csv(report);
    } else {
        text = report::stat_text(report, report::Style(to_file ? nullptr : stderr));
    }
    if (auto emitted = emit(text); !emitted) return emitted;
    return to_file ? deliver(output_, written_) : Result<void>();
}

Outcome StatVerb::run() {
    session_.emplace(Session::open());
    if (auto sound = check(); !sound) return sound.error();
    if (output_.csv) {
        if (auto emitted = emit(report::stat_csv_header()); !emitted) return emitted.error();
    }
    Runs runs;
    if (command_.empty()) {
        if (auto outcome = measure_alone(runs); outcome.error) return outcome;
    }
    for (auto i = 0; !command_.empty() && i < static_cast<int>(runs_wanted_); ++i) {
        if (auto outcome = measure_command(runs); outcome.error) return outcome;
        if (runs.interrupted) break;
    }
    const int exit_code = runs.exit_code.value_or(0);
    const StatRows last = runs.rows.back();
    const report::StatReport report = report_of(std::move(runs));
    if (auto done = write(report); !done) return done.error();
    if (auto usable = check_required(last, asked()); !usable) return usable.error();
    return exit_code;
}

}  // namespace

std::unique_ptr<Verb> make_stat() {
    return std::make_unique<StatVerb>();
}

}  // namespace ringside::cli
