#include "cli/measurer.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/text.h"
#include "cli/flat_profile.h"
#include "cli/record_targets.h"
#include "cli/run_command.h"
#include "cli/stat_panel.h"
#include "cli/stat_report.h"
#include "cli/stat_targets.h"
#include "cli/version.h"
#include "platform/machine.h"
#include "record/recorder.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using Json = nlohmann::ordered_json;
using SteadyClock = std::chrono::steady_clock;

Json environment_json() {
    const base::SysRoot root;
    const platform::Machine machine = platform::describe(root);
    const auto known = [](const auto& fact) {
        return fact.value ? Json(*fact.value) : Json(nullptr);
    };
    Json json;
    json["kernel"] = known(machine.kernel_release);
    json["cpu"] = known(machine.cpu.name);
    json["cpus"] = machine.topology.online.size();
    const auto memory = root.read("/proc/meminfo");
    const auto field = memory ? base::find_field(*memory, "MemTotal") : std::nullopt;
    const auto words = field ? base::split_words(*field) : std::vector<std::string_view>();
    const auto kb = words.empty() ? std::nullopt : base::parse_u64(words[0]);
    json["memory_bytes"] = kb ? Json(*kb * 1024) : Json(nullptr);
    json["hypervisor"] = machine.hypervisor.name;
    json["vmm"] = machine.hypervisor.vmm;
    json["clock_source"] = known(machine.clock.current);
    json["cpu_hz"] = known(machine.clock.cpu_hz);
    return json;
}

struct OpenFile {
    base::Fd fd;
    std::uint64_t size_bytes() const {
        struct stat info {};
        return ::fstat(fd.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    }
};

Result<OpenFile> create(const fs::path& path) {
    OpenFile file{base::Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644))};
    if (!file.fd) return base::fail_errno(errno, "cannot create " + path.string());
    return file;
}

// One execution of the command.
class OneRun {
  public:
    OneRun(fs::path folder, const Session& session, std::vector<AskedEvent> events,
           const MeasurePlan& plan)
        : folder_(std::move(folder)), session_(session), events_(std::move(events)), plan_(plan) {}

    Outcome execute();
    const base::ExitStatus& status() const { return status_; }
    std::uint64_t wall() const { return wall_ns(*time_); }
    const std::vector<std::string>& notes() const { return notes_; }
    const std::map<std::string, std::string>& build_ids() const { return build_ids_; }

  private:
    Result<void> open_outputs();
    Result<void> attach(pid_t pid);
    Result<void> start_recorder(pid_t pid);
    void watch();
    void read_counters();
    Result<void> write(const base::ExitStatus& status);
    Result<void> write_profile();

    fs::path folder_;
    const Session& session_;
    std::vector<AskedEvent> events_;
    const MeasurePlan& plan_;

    OpenFile out_;
    OpenFile err_;
    pid_t pid_ = 0;
    SteadyClock::time_point started_;
    std::optional<Error> stopped_;  // why we ended it
    std::optional<StatPanel> panel_;
    std::optional<TimeKeeper> keeper_;
    std::unique_ptr<record::Recorder> recorder_;
    Result<void> counted_;
    analysis::StatRows rows_;
    std::optional<TimeReport> time_;
    base::ExitStatus status_;
    std::vector<std::string> notes_;
    std::map<std::string, std::string> build_ids_;
};

Result<void> OneRun::open_outputs() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return fail(ErrorCode::io, "cannot create " + folder_.string());
    auto out = create(folder_ / "stdout");
    if (!out) return out.error();
    auto err = create(folder_ / "stderr");
    if (!err) return err.error();
    out_ = std::move(*out);
    err_ = std::move(*err);
    return {};
}

Result<void> OneRun::start_recorder(pid_t pid) {
    const base::SysRoot root;
    record::Settings settings;
    const std::vector<std::string> clock{"cpu-clock"};
    auto events = find_sampled_events(root, plan_.sampled.empty() ? clock : plan_.sampled);
    if (!events) return events.error();
    settings.events = std::move(*events);
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
Result<void> OneRun::attach(pid_t pid) {
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
void OneRun::watch() {
    if (stopped_) return;
    const std::chrono::duration<double> lived = SteadyClock::now() - started_;
    const auto printed = static_cast<double>(out_.size_bytes() + err_.size_bytes());
    if (lived.count() > plan_.timeout_s) {
        stopped_ = fail(ErrorCode::timed_out,
                        fmt::format("{} did not end within {} s and was killed", plan_.command[0],
                                    plan_.timeout_s),
                        "--timeout S allows more");
    } else if (printed > plan_.output_limit_mb * 1e6) {
        stopped_ = fail(ErrorCode::io,
                        fmt::format("{} printed more than {} MB and was killed", plan_.command[0],
                                    plan_.output_limit_mb),
                        "--output-limit MB allows more");
    }
    if (stopped_) ::kill(-pid_, SIGKILL);
}

void OneRun::read_counters() {
    panel_->stop();
    auto time = keeper_->read();
    auto rows = panel_->read();
    if (!time || !rows) {
        counted_ = time ? rows.error() : time.error();
        return;
    }
    time_ = std::move(*time);
    rows_ = std::move(*rows);
}

Result<void> OneRun::write_profile() {
    const auto summary = recorder_->finish();
    if (!summary) return summary.error();
    if (summary->progress.failure) return *summary->progress.failure;
    const auto flat = load_flat_profile((folder_ / "samples.data").string());
    if (!flat) return flat.error();
    for (const auto& module : flat->profile.world->modules()) {
        if (!module.build_id.empty()) build_ids_[module.short_name()] = module.build_id;
    }
    return base::replace_file((folder_ / "report.json").string(),
                              report_json(flat->view(), flat->rows));
}

Result<void> OneRun::write(const base::ExitStatus& status) {
    status_ = status;
    if (stopped_) return *stopped_;
    if (!counted_) return counted_;
    if (auto* split = std::get_if<TimeSplit>(&*time_); split != nullptr && !split->clock.cpu_ns) {
        split->clock.cpu_ns = status.cpu_ns;
    }
    if (auto written = write_profile(); !written) return written;
    StatReport report;
    report.subject = plan_.command[0];
    report.command = plan_.command;
    report.rows = rows_;
    report.left_out = take_left_out(report.rows, panel_->events());
    report.time = *time_;
    report.exit_code = status.shell_code();
    return base::replace_file((folder_ / "stat.json").string(), stat_json(report, false));
}

Outcome OneRun::execute() {
    if (auto opened = open_outputs(); !opened) return opened.error();
    const base::Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    CommandHooks hooks;
    hooks.stdin_fd = nothing.get();
    hooks.stdout_fd = out_.fd.get();
    hooks.stderr_fd = err_.fd.get();
    hooks.own_group = true;
    hooks.before = [&](pid_t pid) { return attach(pid); };
    hooks.tick_every = std::chrono::milliseconds(250);
    hooks.tick = [&] { watch(); };
    hooks.ended = [&] { read_counters(); };
    hooks.after = [&](const base::ExitStatus& status) { return write(status); };
    return run_command(plan_.command, OutputChoice(), hooks);
}

// A program beside, for as long as this lives; a new one whenever it has ended.
class CoRunner {
  public:
    explicit CoRunner(const std::string& words) {
        for (const auto word : base::split_words(words)) argv_.emplace_back(word);
    }

    Result<void> start() {
        if (argv_.empty()) return {};
        if (child_) {
            const auto status = child_->poll();
            if (status && !status->has_value()) return {};
        }
        child_.reset();
        const base::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        base::SpawnOptions options;
        options.stdin_fd = options.stdout_fd = options.stderr_fd = nothing.get();
        options.own_group = true;
        auto child = base::spawn(argv_, options);
        if (!child) return child.error();
        child_.emplace(std::move(*child));
        return {};
    }

  private:
    std::vector<std::string> argv_;
    std::optional<base::Child> child_;
};

Result<std::vector<AskedEvent>> asked_events(const MeasurePlan& plan) {
    std::vector<AskedEvent> events;
    for (const auto& list : plan.events) {
        auto more = parse_event_list(list);
        if (!more) return more.error();
        events.insert(events.end(), more->begin(), more->end());
    }
    return events.empty() ? default_events(false) : events;
}

class SideRecord {
  public:
    SideRecord(fs::path folder, const SideLabel& label, const MeasurePlan& plan)
        : file_(std::move(folder) / "side.json") {
        json_ = {{"schema", "ringside.run/1"},
                 {"name", label.name},
                 {"kind", label.kind},
                 {"command", plan.command},
                 {"co_run", plan.co_run}};
        json_["environment"] = environment_json();
        json_["build_ids"] = Json::object();
        json_["notes"] = Json::array();
        json_["runs"] = 0;
    }

    Result<void> add(const OneRun& run) {
        for (const auto& [module, id] : run.build_ids()) json_["build_ids"][module] = id;
        json_["notes"] = run.notes();
        json_["runs"] = json_["runs"].get<int>() + 1;
        return base::replace_file(file_.string(), json_.dump(2, ' ', false, replace) + "\n");
    }

  private:
    static constexpr auto replace = Json::error_handler_t::replace;
    fs::path file_;
    Json json_;
};

Result<void> make_folder(const std::string& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
        return fail(ErrorCode::bad_input, folder + " is there already, and not empty",
                    "name another folder, or remove it");
    }
    fs::create_directories(folder, error);
    if (error) return fail(ErrorCode::io, "cannot create " + folder + ": " + error.message());
    return {};
}

}  // namespace

void MeasurePlan::declare(Options& options) {
    options.texts("-e, --event", "EVENTS", events,
                  "count these, with commas between; may be repeated [what can count there]");
    options.texts("--sample", "EVENTS", sampled, "sample functions by these [cpu-clock]");
    options.number("-r, --repeat", "N", runs, "run the command N times [5]");
    options.number("-F, --freq", "HZ", frequency_hz, "samples a second and CPU [499]");
    options.number("--timeout", "S", timeout_s, "kill a run that takes longer [600]");
    options.number("--output-limit", "MB", output_limit_mb, "kill one that prints more [256]");
    options.flag("--trace", trace, "tell all parts of the time apart by BPF; needs root there");
    options.text("--co-run", "CMD2", co_run,
                 "keep this running beside it, on the same side; its words between blanks");
}

Result<void> MeasurePlan::check() const {
    if (command.empty())
        return fail(ErrorCode::bad_input, "no command to run", "give one after --");
    if (!(runs >= 1 && runs <= 1000) || runs != std::floor(runs)) {
        return fail(ErrorCode::bad_input, "-r wants a number of runs, 1 to 1000");
    }
    if (!(frequency_hz >= 1 && frequency_hz <= 100000)) {
        return fail(ErrorCode::bad_input, "-F wants samples a second, 1 to 100000");
    }
    if (!(timeout_s > 0) || !(output_limit_mb > 0)) {
        return fail(ErrorCode::bad_input, "--timeout and --output-limit want more than 0");
    }
    if (auto sound = asked_events(*this); !sound) return sound.error();
    return {};
}

std::vector<std::string> MeasurePlan::words() const {
    std::vector<std::string> words{"-r",
                                   fmt::format("{}", runs),
                                   "-F",
                                   fmt::format("{}", frequency_hz),
                                   "--timeout",
                                   fmt::format("{}", timeout_s),
                                   "--output-limit",
                                   fmt::format("{}", output_limit_mb)};
    for (const auto& list : events) words.insert(words.end(), {"-e", list});
    for (const auto& list : sampled) words.insert(words.end(), {"--sample", list});
    if (no_trace) words.emplace_back("--no-trace");
    if (!co_run.empty()) words.insert(words.end(), {"--co-run", co_run});
    return words;
}

Outcome measure_into(const std::string& folder, const SideLabel& label, const MeasurePlan& plan,
                     const Say& say) {
    if (auto sound = plan.check(); !sound) return sound.error();
    auto events = asked_events(plan);
    if (!events) return events.error();
    if (auto made = make_folder(folder); !made) return made.error();
    const Session session = Session::open();
    SideRecord record(folder, label, plan);
    CoRunner co_runner(plan.co_run);
    int exit_code = 0;
    for (int i = 1; i <= static_cast<int>(plan.runs); ++i) {
        if (auto started = co_runner.start(); !started) return started.error();
        OneRun run(fs::path(folder) / std::to_string(i), session, *events, plan);
        const Outcome outcome = run.execute();
        if (outcome.error) return outcome;
        if (auto added = record.add(run); !added) return added.error();
        say(fmt::format("{}: run {} of {} took {:.3f} s, exit code {}", label.name, i, plan.runs,
                        static_cast<double>(run.wall()) / 1e9, outcome.exit_code));
        if (exit_code == 0) exit_code = outcome.exit_code;
        if (run.status().signal != 0) break;
    }
    return exit_code;
}

}  // namespace ringside::cli
