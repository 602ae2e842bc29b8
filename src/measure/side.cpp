#include "measure/side.h"

#include <algorithm>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "measure/counters.h"
#include "measure/outputs.h"
#include "measure/samples.h"
#include "measure/soft_run.h"
#include "measure/time.h"
#include "measure/version.h"
#include "platform/machine.h"
#include "run/folder.h"

namespace ringside::measure {

namespace {

namespace fs = std::filesystem;

run::Environment this_environment() {
    const base::SysRoot root;
    const platform::Machine machine = platform::describe(root);
    run::Environment environment;
    environment.kernel = machine.kernel_release.value.value_or("");
    environment.cpu = machine.cpu.name.value.value_or("");
    environment.cpus = static_cast<int>(machine.topology.online.size());
    const auto memory = root.read("/proc/meminfo");
    const auto field = memory ? base::find_field(*memory, "MemTotal") : std::nullopt;
    const auto words = field ? base::split_words(*field) : std::vector<std::string_view>();
    const auto kb = words.empty() ? std::nullopt : base::parse_u64(words[0]);
    if (kb) environment.memory_bytes = static_cast<double>(*kb) * 1024;
    environment.hypervisor = machine.hypervisor.name;
    environment.vmm = machine.hypervisor.vmm;
    environment.clock_source = machine.clock.current.value.value_or("");
    if (machine.clock.cpu_hz.value) {
        environment.cpu_hz = static_cast<double>(*machine.clock.cpu_hz.value);
    }
    return environment;
}

// A program beside, for as long as this lives.
class CoRunner {
  public:
    explicit CoRunner(std::string words) : words_(std::move(words)) {}

    Result<void> start() {
        const auto argv = co_run_command(words_);
        if (!argv) return argv.error();
        if (argv->empty()) return {};
        const base::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        base::SpawnOptions options;
        options.stdin_fd = options.stdout_fd = options.stderr_fd = nothing.get();
        options.own_group = true;
        auto child = base::spawn(*argv, options);
        if (!child) return child.error();
        child_.emplace(std::move(*child));
        return {};
    }

    // What is to be said of it after a run, or nothing.
    std::optional<std::string> complaint() {
        if (!child_) return std::nullopt;
        const auto status = child_->poll();
        if (status && !status->has_value()) return std::nullopt;
        child_.reset();
        return fmt::format("{} did not run beside all the time: it ended with {}", words_,
                           status ? (*status)->shell_code() : base::exit_failure);
    }

  private:
    std::string words_;
    std::optional<base::Child> child_;
};

run::Side new_side(const SideLabel& label, const Plan& plan) {
    run::Side side;
    side.name = label.name;
    side.kind = label.kind;
    side.command = plan.command;
    side.co_run = plan.co_run;
    side.environment = this_environment();
    return side;
}

Result<record::Settings> sampling(const Plan& plan, const fs::path& folder) {
    record::Settings settings;
    const std::vector<std::string> clock{"cpu-clock"};
    auto events = find_sampled_events({}, plan.sampled.empty() ? clock : plan.sampled);
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
    settings.frequency_hz = static_cast<std::uint64_t>(plan.frequency_hz);
    settings.file = (folder / "samples.data").string();
    settings.version = fmt::format("ringside {}", version);
    settings.command_line = plan.command;
    return settings;
}

// One execution of the command.
class Execution {
  public:
    Execution(const fs::path& folder, const Plan& plan, const Collectors& collectors)
        : folder_(folder), plan_(plan), engine_(collectors) {}

    // With `soft` it is executed once more, for the soft PMU's counts.
    Outcome execute(bool soft);
    const run::Run& run() const { return run_; }
    double lived_s() const { return lived_s_; }
    // The signal that ended it, or 0.
    int signal() const { return signal_; }

  private:
    void keep_interval(double lived_s);

    fs::path folder_;
    const Plan& plan_;
    Engine engine_;
    run::Run run_;
    double lived_s_ = 0;
    double kept_until_s_ = 0;
    int signal_ = 0;
};

// What came in since the last time, for a timeline. Longer runs have longer intervals, so that they
// stay few: some 200, and 200 more each time the run has become 2.7 times as long.
void Execution::keep_interval(double lived_s) {
    constexpr double share_of_run = 1.0 / 200;
    constexpr double least_s = 0.02;  // below which rates say little; a whole run may be shorter
    const double lasted_s = lived_s - kept_until_s_;
    if (lasted_s < lived_s * share_of_run || (kept_until_s_ > 0 && lasted_s < least_s)) return;
    auto interval = engine_.read_interval(lived_s);
    if (!interval) return;
    kept_until_s_ = lived_s;
    run_.intervals.push_back(std::move(*interval));
}

Outcome Execution::execute(bool soft) {
    auto outputs = RunOutputs::create(folder_, "", plan_);
    if (!outputs) return outputs.error();
    CommandHooks hooks;
    outputs->connect(hooks);
    hooks.tick = [&, watch = hooks.tick] {
        keep_interval(outputs->lived_s());
        watch();
    };
    hooks.ended = [&] {
        lived_s_ = outputs->lived_s();
        keep_interval(lived_s_);
    };
    hooks.after = [&, within_limits = hooks.after](const base::ExitStatus& status) {
        signal_ = status.signal;
        return within_limits(status);
    };
    Outcome outcome = engine_.around(plan_.command, std::move(hooks), run_);
    if (outcome.error || !soft) return outcome;
    if (const int stopped_by = count_in_software(folder_, plan_, run_)) signal_ = stopped_by;
    return outcome;
}

double wall_s(const Execution& execution) {
    const auto& time = execution.run().time;
    return time ? static_cast<double>(time->clock.real_ns) / 1e9 : execution.lived_s();
}

}  // namespace

Outcome measure_side(const std::string& folder, const SideLabel& label, const Plan& plan,
                     const ProgressFn& say) {
    auto events = asked_events(plan);
    if (!events) return events.error();
    const Session session = Session::open();
    const Targets targets;  // the command
    BudgetOptions time;
    time.quick = plan.no_trace;
    // The time last: its window shall begin when the command does.
    return measure_side(folder, label, plan, say, [&](const fs::path& files) -> Result<Collectors> {
        auto settings = sampling(plan, files);
        if (!settings) return settings.error();
        Collectors collectors;
        collectors.push_back(std::make_unique<Samples>(targets, std::move(*settings), true));
        collectors.push_back(std::make_unique<Counters>(session, targets, *events));
        collectors.push_back(std::make_unique<Time>(targets, time));
        return collectors;
    });
}

Outcome measure_side(const std::string& folder, const SideLabel& label, const Plan& plan,
                     const ProgressFn& say, const MakeCollectors& make) {
    if (auto sound = plan.check(); !sound) return sound.error();
    auto writer = run::FolderWriter::create(folder, new_side(label, plan));
    if (!writer) return writer.error();
    CoRunner co_runner(plan.co_run);
    if (auto started = co_runner.start(); !started) return started.error();
    int exit_code = 0;
    for (int i = 1; i <= static_cast<int>(plan.runs); ++i) {
        const auto collectors = make(writer->run_folder(i));
        if (!collectors) return collectors.error();
        Execution execution(writer->run_folder(i), plan, *collectors);
        Outcome outcome = execution.execute(i == 1 && plan.wants_soft());
        if (outcome.error) return outcome;
        run::Run run = execution.run();
        if (auto complaint = co_runner.complaint()) run.notes.push_back(*complaint);
        if (auto added = writer->add(run); !added) return added.error();
        say(fmt::format("{}: run {} of {} took {:.3f} s, exit code {}", label.name, i, plan.runs,
                        wall_s(execution), outcome.exit_code));
        if (exit_code == 0) exit_code = outcome.exit_code;
        if (execution.signal() != 0) break;
    }
    return exit_code;
}

}  // namespace ringside::measure
