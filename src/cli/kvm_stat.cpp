// `ringside kvm stat` and its record, report and live: why guests leave to their host, and what
// that costs.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/kvm_stat_view.h"
#include "cli/measure_options.h"
#include "cli/record_run.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "kvm_stat/events.h"
#include "kvm_stat/live.h"
#include "kvm_stat/load.h"
#include "measure/waiting.h"

namespace ringside::cli {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* default_file = "kvm.data";
constexpr double default_buffer_kb = 4096;  // a busy host has some 100,000 exits a second and CPU
constexpr milliseconds collect_every{50};

Result<std::size_t> buffer_bytes(double kb) {
    if (kb < 1) return base::fail(ErrorCode::bad_input, "-m requires a positive number");
    return static_cast<std::size_t>(kb) << 10;
}

void print_warnings(const std::string& verb, const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings)
        print_text(stderr, fmt::format("ringside {}: {}\n", verb, warning));
}

class KvmStatRecord final : public Verb {
  public:
    std::string name() const override { return "kvm stat record"; }
    std::string summary() const override {
        return "record every entry and exit of virtual machines into a file perf reads too";
    }
    std::string examples() const override {
        return "  ringside kvm stat record -a -- sleep 10      all VMs of this host for 10 s\n"
               "  ringside kvm stat record -p 4711             one VM until Ctrl-C\n"
               "  ringside kvm stat record -- qemu-system-x86_64 ...   from its first entry on\n"
               "  ringside kvm stat report                     then look at it\n"
               "  perf kvm -i kvm.data stat report             or so\n";
    }
    void declare(Options& options) override {
        declare_targets(options, request_.targets);
        options.text("-o, --output", "FILE", request_.settings.file, "the recording [kvm.data]");
        options.number("-m, --buffer", "KB", buffer_kb_, "memory for each CPU's records [4096]");
        options.flag("--json", request_.output.json, "a summary for programs, on standard output");
        options.command(request_.command);
    }
    Outcome run() override {
        const auto bytes = buffer_bytes(buffer_kb_);
        if (!bytes) return bytes.error();
        request_.settings.buffer_bytes = *bytes;
        auto events = kvm_stat::passage_events(request_.root);
        if (!events) return events.error();
        request_.settings.events = std::move(*events);
        return RecordRun(name(), request_).run();
    }

  private:
    RecordRequest request_ = [] {
        RecordRequest request;
        request.settings.file = default_file;
        return request;
    }();
    double buffer_kb_ = default_buffer_kb;
};

class KvmStatReportVerb final : public Verb {
  public:
    std::string name() const override { return "kvm stat report"; }
    std::string summary() const override {
        return "show a recording of exits: how often, why, and how long each took";
    }
    std::string examples() const override {
        return "  ringside kvm stat report                     kvm.data, by VM and reason\n"
               "  ringside kvm stat report --per-vcpu --sort p99\n"
               "  ringside kvm stat report -i perf.data.guest  what `perf kvm stat record` wrote\n"
               "  ringside kvm stat report --vm 4711 --json    one VM, for programs\n"
               "\n"
               "An exit takes from kvm_exit to the next kvm_entry of its vCPU. Halts (HLT, WFI) "
               "are\n"
               "shown last and apart: their time is the guest's idling and no cost.\n";
    }
    void declare(Options& options) override {
        options.text("-i, --input", "FILE", file_, "the recording; - is standard input [kvm.data]");
        view_.declare(options);
    }
    Outcome run() override {
        if (auto done = view_.read_options(); !done) return done.error();
        auto measured = kvm_stat::load(file_);
        if (!measured) return measured.error();
        print_warnings(name(), measured->warnings);
        auto report = view_.report(std::move(*measured));
        report.file = file_;
        if (auto done = deliver(view_.output, view_.render(report, true, stdout)); !done)
            return done.error();
        return 0;
    }

  private:
    KvmStatView view_;
    std::string file_ = default_file;
};

// Counts without a file: `kvm stat` shows everything at the end, `kvm stat live` each interval.
class KvmStatNow final : public Verb {
  public:
    explicit KvmStatNow(bool live) : live_(live) {}

    std::string name() const override { return live_ ? "kvm stat live" : "kvm stat"; }
    std::string summary() const override {
        return live_ ? "show exits of virtual machines as they happen"
                     : "count exits of virtual machines by reason, and how long they take";
    }
    std::string examples() const override {
        if (live_)
            return "  ringside kvm stat live                all VMs of this host, until Ctrl-C\n"
                   "  ringside kvm stat live -p 4711 -I 500  one VM, twice a second\n"
                   "  ringside kvm stat live --csv --duration 60 -o exits.csv\n";
        return "  ringside kvm stat --duration 10          all VMs of this host for 10 s\n"
               "  ringside kvm stat -p 4711                one VM until Ctrl-C or its end\n"
               "  ringside kvm stat -- qemu-system-x86_64 ...    a VM from its beginning\n"
               "  ringside kvm stat -a --json -- ./load    the whole host while ./load runs\n"
               "  ringside kvm stat record, report, live   with a file, or as it happens\n";
    }
    void declare(Options& options) override {
        declare_targets(options, words_);
        if (live_)
            options.number("-I, --interval", "MS", interval_ms_,
                           "time between two pictures [1000]");
        options.number("-d, --duration", "SECONDS", duration_s_, "end after that long");
        options.number("-m, --buffer", "KB", buffer_kb_, "memory for each CPU's records [4096]");
        view_.declare(options);
        options.command(command_);
    }

    Outcome run() override {
        if (auto done = read_options(); !done) return done.error();
        if (!command_.empty()) return run_with_command();
        if (words_.only_command()) words_.all = true;
        if (auto done = parse_targets(); !done) return done.error();
        if (auto done = open(0); !done) return done.error();
        if (auto done = exits_->begin(); !done) return done.error();
        const auto awaited = targets_.awaited().processes;
        const milliseconds limit(std::lround(duration_s_ * 1000));
        if (auto done = measure::wait_until_stopped(
                awaited.size() == 1 ? awaited.front() : 0, collect_every, [&] { tick(); }, limit);
            !done)
            return done.error();
        if (auto done = finish(std::nullopt); !done) return done.error();
        return 0;
    }

  private:
    Result<void> read_options() {
        if (auto done = view_.read_options(); !done) return done;
        if (interval_ms_ < 1 || duration_s_ < 0)
            return base::fail(ErrorCode::bad_input, "-I and --duration want positive numbers");
        if (!command_.empty() && duration_s_ > 0)
            return base::fail(ErrorCode::bad_input, "a command says itself when it is over",
                              "leave --duration or the command out");
        const auto bytes = buffer_bytes(buffer_kb_);
        if (!bytes) return bytes.error();
        settings_.buffer_bytes = *bytes;
        return {};
    }

    Result<void> parse_targets() {
        auto targets = measure::Targets::parse(words_);
        if (!targets) return targets.error();
        targets_ = std::move(*targets);
        return {};
    }

    Outcome run_with_command() {
        if (auto done = parse_targets(); !done) return done.error();
        const bool all = !targets_.of_command();
        CommandHooks hooks;
        hooks.before = [&](pid_t pid) { return open(pid); };
        hooks.started = [&] { return all ? exits_->begin() : Result<void>(); };
        hooks.tick = [&] { tick(); };
        hooks.tick_every = collect_every;
        hooks.after = [&](const base::ExitStatus& status) { return finish(status.shell_code()); };
        return run_command(command_, view_.output, hooks);
    }

    Result<void> open(pid_t command) {
        if (auto done = targets_.sample(root_, command, settings_, cgroup_); !done) return done;
        auto exits = kvm_stat::LiveExits::open(root_, settings_);
        if (!exits) return exits.error();
        exits_ = std::move(*exits);
        print_warnings(name(), exits_->measurement().warnings);
        begun_ = shown_ = Clock::now();
        return {};
    }

    void tick() {
        exits_->collect();
        const auto now = Clock::now();
        if (!live_ || now - shown_ < milliseconds(std::lround(interval_ms_))) return;
        show_interval(now);
    }

    void show_interval(Clock::time_point now) {
        shown_ = now;
        auto report = view_.report(exits_->interval());
        report.at_s = std::chrono::duration<double>(now - begun_).count();
        std::string text = view_.render(report, !head_shown_, stdout);
        head_shown_ = true;
        if (!view_.output.file.empty()) {
            kept_ += text;  // the file is written whole
            return;
        }
        if (view_.for_people() && ::isatty(STDOUT_FILENO) == 1) text = "\x1b[H\x1b[2J" + text;
        print_text(stdout, text);
        std::fflush(stdout);
    }

    Result<void> finish(std::optional<int> exit_code) {
        exits_->end();
        if (live_) {
            show_interval(Clock::now());  // what was left of it
            return view_.output.file.empty() ? Result<void>() : deliver(view_.output, kept_);
        }
        auto report = view_.report(exits_->measurement());
        report.exit_code = exit_code;
        const std::string text = view_.render(report, true, stderr);
        if (!view_.for_people()) return deliver(view_.output, text);
        print_text(stderr, text);  // stdout is the command's
        return {};
    }

    bool live_;
    base::SysRoot root_;
    KvmStatView view_;
    measure::TargetWords words_;
    measure::Targets targets_;
    base::Fd cgroup_;
    record::Settings settings_;
    double interval_ms_ = 1000;
    double duration_s_ = 0;
    double buffer_kb_ = default_buffer_kb;
    std::vector<std::string> command_;
    std::unique_ptr<kvm_stat::LiveExits> exits_;
    Clock::time_point begun_;
    Clock::time_point shown_;
    bool head_shown_ = false;
    std::string kept_;
};

}  // namespace

void add_kvm_verbs(Verbs& verbs) {
    verbs.push_back(std::make_unique<KvmStatNow>(false));
    verbs.push_back(std::make_unique<KvmStatRecord>());
    verbs.push_back(std::make_unique<KvmStatReportVerb>());
    verbs.push_back(std::make_unique<KvmStatNow>(true));
}

}  // namespace ringside::cli
