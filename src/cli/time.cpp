// `ringside time`: where the time of a command, or of a process that runs already, went.
#include <cstdio>

#include <fmt/format.h>

#include <ringside/time_budget.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/run_command.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/wait_for_end.h"
#include "report/time/budget_report.h"

namespace ringside::cli {

namespace {

class TimeVerb final : public Verb {
  public:
    std::string name() const override { return "time"; }
    std::string summary() const override {
        return "say where a command's time went: executed, stolen, waiting, blocked, asleep";
    }
    std::string examples() const override {
        return "  ringside time -- make -j4          the whole process tree of make\n"
               "  ringside time -p 4711 -- sleep 5   what process 4711 does meanwhile\n"
               "  ringside time -p 4711              until it ends, or Ctrl-C\n"
               "  ringside time --json -- ./a.out    JSON on stdout, a.out's output on stderr\n"
               "  ringside time --csv -o t.csv -- ./a.out\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, true);
        options.text("-p, --pid", "PID", pid_, "measure this process, with what it starts");
        options.flag("--faults", faults_,
                     "time page faults too (BPF; slows every fault of the machine a little)");
        options.command(command_);
    }

    Outcome run() override {
        BudgetOptions options;
        options.time_faults = faults_;
        const TimeBudgets budgets = TimeBudgets::open(options);
        if (pid_.empty()) return run_and_measure(budgets);
        const auto pid = base::parse_u64(pid_);
        if (!pid || *pid == 0 || *pid > INT32_MAX) {
            return base::fail(ErrorCode::bad_input, "not a process id: " + pid_);
        }
        return measure(budgets, static_cast<int>(*pid));
    }

  private:
    Outcome run_and_measure(const TimeBudgets& budgets) {
        std::optional<TimeBudget> budget;
        std::optional<TimeSplit> split;
        CommandHooks hooks;
        hooks.before = [&](pid_t pid) { return open(budgets, pid, budget); };
        hooks.ended = [&] { split = budget->read(); };
        hooks.after = [&](const base::ExitStatus& status) {
            // Without BPF nobody adds up the CPU time of a tree but wait(), at its end.
            if (!split->clock.cpu_ns) split->clock.cpu_ns = status.cpu_ns;
            return report(*split, status.shell_code());
        };
        return run_command(command_, output_, hooks);
    }

    Outcome measure(const TimeBudgets& budgets, int pid) {
        std::optional<TimeBudget> budget;
        if (!command_.empty()) {
            CommandHooks hooks;
            hooks.before = [&](pid_t) { return open(budgets, pid, budget); };
            hooks.after = [&](const base::ExitStatus& status) {
                return report(budget->read(), status.shell_code());
            };
            return run_command(command_, output_, hooks);
        }
        const EndWatch watch;
        if (auto opened = open(budgets, pid, budget); !opened) return opened.error();
        if (auto ended = watch.wait({pid}); !ended) return ended.error();
        if (auto reported = report(budget->read(), std::nullopt); !reported) {
            return reported.error();
        }
        return 0;
    }

    static Result<void> open(const TimeBudgets& budgets, int pid,
                             std::optional<TimeBudget>& budget) {
        auto opened = budgets.process(pid, Follow::children);
        if (!opened) return opened.error();
        budget.emplace(std::move(*opened));
        return {};
    }

    Result<void> report(const TimeSplit& split, std::optional<int> exit_code) const {
        const report::TimeRun run{command_, split, exit_code};
        if (output_.json) return deliver(output_, report::time_run_json(run));
        if (output_.csv) return deliver(output_, report::time_run_csv(run));
        const std::string text = report::time_run_text(run);
        if (!output_.file.empty()) return deliver(output_, text);
        print_text(stderr, text);
        return {};
    }

    OutputChoice output_;
    std::string pid_;
    bool faults_ = false;
    std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Verb> make_time() {
    return std::make_unique<TimeVerb>();
}

}  // namespace ringside::cli
