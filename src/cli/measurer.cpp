#include "cli/measurer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "cli/measured_run.h"
#include "cli/soft_run.h"
#include "platform/machine.h"
#include "proc/meminfo.h"
#include "run/folder.h"
#include "soft/events.h"

namespace ringside::cli {

namespace {

using base::fail;

run::Environment this_environment() {
    const base::SysRoot root;
    const platform::Machine machine = platform::describe(root);
    run::Environment environment;
    environment.kernel = machine.kernel_release.value.value_or("");
    environment.cpu = machine.cpu.name.value.value_or("");
    environment.cpus = static_cast<int>(machine.topology.online.size());
    if (const auto bytes = proc::memory_total_bytes(root)) {
        environment.memory_bytes = static_cast<double>(*bytes);
    }
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
                           status ? (*status)->shell_code() : exit_failure);
    }

  private:
    std::string words_;
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

// Said of all the runs, once.
void note(run::Side& side, const std::string& text) {
    if (std::find(side.notes.begin(), side.notes.end(), text) == side.notes.end()) {
        side.notes.push_back(text);
    }
}

run::Side new_side(const SideLabel& label, const MeasurePlan& plan) {
    run::Side side;
    side.name = label.name;
    side.kind = label.kind;
    side.command = plan.command;
    side.co_run = plan.co_run;
    side.environment = this_environment();
    return side;
}

}  // namespace

// The words are arguments of the script, never part of it.
Result<std::vector<std::string>> co_run_command(const std::string& words) {
    std::vector<std::string> argv;
    for (const auto word : base::split_words(words)) argv.emplace_back(word);
    if (argv.empty()) return argv;
    const auto program = base::find_executable(argv[0]);
    if (!program || ::access(program->c_str(), X_OK) != 0) {
        return fail(ErrorCode::not_found, fmt::format("there is no {} to run beside", argv[0]));
    }
    argv.insert(argv.begin(), {"sh", "-c", "while :; do \"$@\" || exit; done", "sh"});
    return argv;
}

void MeasurePlan::declare(Options& options) {
    options.texts("-e, --event", "EVENTS", events,
                  "count these, with commas between; may be repeated [what can count there]");
    options.texts("--sample", "EVENTS", sampled, "sample functions by these [cpu-clock]");
    options.number("-r, --repeat", "N", runs, "run the command N times [5]");
    options.number("-F, --freq", "HZ", frequency_hz, "samples a second and CPU [499]");
    options.number("--timeout", "S", timeout_s, "kill a run that takes longer [600]");
    options.number("--output-limit", "MB", output_limit_mb, "kill one that prints more [256]");
    options.flag("--soft", soft,
                 "after the first run once more under QEMU, to count instructions, branches, loads "
                 "and stores in software");
    options.texts("--soft-event", "EVENTS", soft_events,
                  "count these of `ringside stat --soft` so");
    options.text("--soft-sample", "EVENT", soft_sample,
                 "also sample functions by one of them there, as dTLB-store-misses-model");
    options.number("--soft-period", "N", soft_period,
                   "take every N-th of these [many for frequent events]");
    options.flag("--no-trace", no_trace,
                 "do without BPF: less is known of where the time went, setting up is quicker");
    options.text("--co-run", "CMD2", co_run,
                 "run this beside it, again and again; its words between blanks");
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
    if (auto sound = asked_soft_events(*this); !sound) return sound.error();
    if (!(soft_period >= 0 && soft_period <= 1e15) || soft_period != std::floor(soft_period)) {
        return fail(ErrorCode::bad_input, "--soft-period wants a number of events");
    }
    if (!soft_sample.empty()) {
        if (auto sound = soft::find_program_event(soft_sample); !sound) return sound.error();
    }
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
    if (soft) words.emplace_back("--soft");
    for (const auto& list : soft_events) words.insert(words.end(), {"--soft-event", list});
    if (!soft_sample.empty()) words.insert(words.end(), {"--soft-sample", soft_sample});
    if (soft_period > 0) {
        words.insert(words.end(), {"--soft-period", fmt::format("{}", soft_period)});
    }
    if (no_trace) words.emplace_back("--no-trace");
    if (!co_run.empty()) words.insert(words.end(), {"--co-run", co_run});
    return words;
}

Outcome measure_into(const std::string& folder, const SideLabel& label, const MeasurePlan& plan,
                     const Say& say) {
    if (auto sound = plan.check(); !sound) return sound.error();
    auto events = asked_events(plan);
    if (!events) return events.error();
    auto writer = run::FolderWriter::create(folder, new_side(label, plan));
    if (!writer) return writer.error();
    const Session session = Session::open();
    CoRunner co_runner(plan.co_run);
    if (auto started = co_runner.start(); !started) return started.error();
    int exit_code = 0;
    for (int i = 1; i <= static_cast<int>(plan.runs); ++i) {
        MeasuredRun run(writer->run_folder(i), session, *events, plan, i == 1 && plan.wants_soft());
        Outcome outcome = run.execute();
        if (outcome.error) return outcome;
        run::Side& side = writer->side();
        if (auto complaint = co_runner.complaint()) note(side, *complaint);
        for (const auto& text : run.notes()) note(side, text);
        for (const auto& [module, id] : run.build_ids()) side.build_ids[module] = id;
        if (auto added = writer->add(run.run()); !added) return added.error();
        say(fmt::format("{}: run {} of {} took {:.3f} s, exit code {}", label.name, i, plan.runs,
                        static_cast<double>(run.wall()) / 1e9, outcome.exit_code));
        if (exit_code == 0) exit_code = outcome.exit_code;
        if (run.status().signal != 0) break;
    }
    return exit_code;
}

}  // namespace ringside::cli
