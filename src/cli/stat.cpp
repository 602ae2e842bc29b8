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
#include "cli/measure_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "measure/counters.h"
#include "measure/soft_counters.h"
#include "measure/time.h"
#include "measure/waiting.h"
#include "report/stat/stat_report.h"

namespace ringside::cli {

namespace {

using analysis::StatRows;
using base::fail;
using measure::AskedEvent;
using measure::find_metrics;
using measure::parse_event_list;

// What was measured in each run.
struct Runs {
    std::vector<StatRows> rows;
    std::vector<accounting::TimeReport> times;
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

    void show_interval();
    const std::vector<AskedEvent>& asked() const;
    Outcome measure(Runs& runs);
    Result<void> measure_alone(measure::Engine& engine, run::Run& run);
    report::StatReport report_of(Runs runs) const;
    Result<void> write(const report::StatReport& report);
    // At once, or with all the rest where it goes into a file.
    Result<void> emit(const std::string& text);

    OutputChoice output_;
    measure::TargetWords words_;
    measure::Targets targets_;
    std::vector<AskedEvent> events_;
    std::vector<std::string> metrics_;
    std::optional<std::string> require_;
    double runs_wanted_ = 1;
    double interval_ms_ = 0;
    bool trace_ = false;
    bool in_software_ = false;
    std::vector<std::string> command_;

    std::optional<Session> session_;
    std::optional<measure::Counters> counters_;  // of this run
    std::optional<measure::SoftCounters> soft_;  // in their place
    std::optional<measure::Time> time_;
    std::optional<measure::Engine> engine_;
    std::uint64_t start_ns_ = 0;
    std::string written_;                  // for the file
    std::optional<Error> interval_error_;  // the first that an interval met
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
        "count these, comma-separated; may be repeated");
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
    declare_targets(options, words_);
    declare_breakdown(options, words_);
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
    auto targets = measure::Targets::parse(words_);
    if (!targets) return targets.error();
    targets_ = std::move(*targets);
    if (command_.empty() && targets_.of_command()) {
        return fail(ErrorCode::bad_input, "nothing to count",
                    "give a command after --, or -p, -t, -a, -C or --cgroup");
    }
    if (runs_wanted_ < 1 || runs_wanted_ > 1e6 || runs_wanted_ != std::floor(runs_wanted_)) {
        return fail(ErrorCode::bad_input, "-r requires a number of runs, 1 or more");
    }
    if (runs_wanted_ > 1 && command_.empty()) {
        return fail(ErrorCode::bad_input, "-r repeats a command, and there is none");
    }
    if (interval_ms_ != 0 && (interval_ms_ < 1 || interval_ms_ > 1e9)) {
        return fail(ErrorCode::bad_input, "-I requires milliseconds, 1 or more");
    }
    if (interval_ms_ != 0 && runs_wanted_ > 1) {
        return fail(ErrorCode::bad_input, "-I and -r exclude each other");
    }
    if (auto added = add_metrics(); !added) return added;
    if (in_software_) return check_soft();
    if (events_.empty()) events_ = measure::default_events(false);
    return mark_required();
}

Result<void> StatVerb::check_soft() {
    if (!targets_.of_command() || command_.empty()) {
        return fail(ErrorCode::bad_input, "--soft counts a command that it starts",
                    "give one after --, without -p, -t, -a, -C or --cgroup");
    }
    if (auto marked = mark_required(); !marked) return marked;
    auto counters = measure::SoftCounters::open(std::move(events_));
    if (!counters) return counters.error();
    soft_.emplace(std::move(*counters));
    return {};
}

const std::vector<AskedEvent>& StatVerb::asked() const {
    return soft_ ? soft_->events() : counters_->events();
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

Result<void> StatVerb::emit(const std::string& text) {
    if (!output_.file.empty()) {
        written_ += text;
        return {};
    }
    if (output_.takes_stdout()) return base::write_all(STDOUT_FILENO, text, "standard output");
    print_text(stderr, text);
    return {};
}

void StatVerb::show_interval() {
    if (interval_error_) return;
    const auto read = engine_->read_interval(static_cast<double>(real_ns() - start_ns_) / 1e9);
    if (!read) {
        interval_error_ = read.error();
        return;
    }
    report::StatInterval interval{read->at_s, measure::rows_of(read->counts), time_->interval()};
    measure::mark_left_out(interval.rows, asked());
    static_cast<void>(measure::take_left_out(interval.rows));
    const auto shown =
        emit(output_.json  ? report::stat_json(interval)
             : output_.csv ? report::stat_csv(interval)
                           : report::stat_text(
                                 interval, report::Style(output_.file.empty() ? stderr : nullptr)));
    if (!shown) interval_error_ = shown.error();
}

Result<void> StatVerb::measure_alone(measure::Engine& engine, run::Run& run) {
    const auto every = std::chrono::milliseconds(static_cast<std::int64_t>(interval_ms_));
    const auto wait = [&]() -> Result<void> {
        start_ns_ = real_ns();
        auto waited = measure::wait_until_stopped(targets_.awaited_process(), every,
                                                  [this] { show_interval(); });
        if (waited && every.count() > 0) show_interval();  // what was left
        return waited && interval_error_ ? Result<void>(*interval_error_) : waited;
    };
    return engine.during(wait, run);
}

// One run. The counters first, the time last: its window shall begin when the command does.
Outcome StatVerb::measure(Runs& runs) {
    BudgetOptions budget;
    budget.quick = !trace_;
    time_.emplace(targets_, budget);
    if (!soft_) counters_.emplace(*session_, targets_, events_);
    measure::Collector* counters = soft_ ? static_cast<measure::Collector*>(&*soft_) : &*counters_;
    engine_.emplace(std::vector<measure::Collector*>{counters, &*time_});
    run::Run run;
    CommandHooks hooks = hooks_beside(output_);
    hooks.before = [this](pid_t) {
        start_ns_ = real_ns();
        return Result<void>();
    };
    hooks.tick_every = std::chrono::milliseconds(static_cast<std::int64_t>(interval_ms_));
    hooks.tick = [this] { show_interval(); };
    hooks.ended = [this] {
        if (interval_ms_ > 0) show_interval();  // what was left
    };
    hooks.after = [&](const base::ExitStatus& status) -> Result<void> {
        if (runs.exit_code.value_or(0) == 0) runs.exit_code = status.shell_code();
        runs.interrupted = status.signal == SIGINT;
        return interval_error_ ? Result<void>(*interval_error_) : Result<void>();
    };
    Outcome outcome(0);
    if (command_.empty()) {
        if (auto done = measure_alone(*engine_, run); !done) outcome = done.error();
    } else {
        outcome = soft_ ? soft_->around(*engine_, command_, std::move(hooks), run)
                        : engine_->around(command_, std::move(hooks), run);
    }
    if (outcome.error) return outcome;
    runs.times.push_back(time_->report());
    runs.rows.push_back(measure::rows_of(run.counts));
    return outcome;
}

report::StatReport StatVerb::report_of(Runs runs) const {
    report::StatReport report;
    report.subject = command_.empty() || !targets_.of_command()
                         ? targets_.subject()
                         : fmt::format("{}", fmt::join(command_, " "));
    report.command = command_;
    report.runs = runs.rows.size();
    report.rows = analysis::over_runs(runs.rows);
    measure::mark_left_out(report.rows, asked());
    report.left_out = measure::take_left_out(report.rows);
    if (soft_) report.notes = {soft_->note()};
    report.time = accounting::average(runs.times);
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
    const int times = command_.empty() ? 1 : static_cast<int>(runs_wanted_);
    for (int i = 0; i < times && !runs.interrupted; ++i) {
        if (auto outcome = measure(runs); outcome.error) return outcome;
    }
    const int exit_code = runs.exit_code.value_or(0);
    const StatRows last = runs.rows.back();
    const report::StatReport report = report_of(std::move(runs));
    if (auto done = write(report); !done) return done.error();
    if (auto usable = measure::check_required(last, asked()); !usable) return usable.error();
    return exit_code;
}

}  // namespace

std::unique_ptr<Verb> make_stat() {
    return std::make_unique<StatVerb>();
}

}  // namespace ringside::cli
