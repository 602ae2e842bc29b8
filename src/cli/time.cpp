// `ringside time`: where the time of a command, or of a process that runs already, went.
#include "measure/time.h"

#include <cstdio>

#include <ringside/time_budget.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
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
        measure::TargetWords words;
        words.pids = pid_;
        auto targets = measure::Targets::parse(words);
        if (!targets) return targets.error();
        BudgetOptions options;
        options.time_faults = faults_;
        measure::Time time(*targets, options);
        measure::Engine engine({&time});
        run::Run run;
        if (!command_.empty() || targets->of_command()) {
            CommandHooks hooks = hooks_beside(output_);
            Outcome outcome = engine.around(command_, std::move(hooks), run);
            if (outcome.error) return outcome;
            if (auto done = show(*run.time, outcome.exit_code); !done) return done.error();
            return outcome;
        }
        const measure::StopSignals stop(measure::StopSignals::Late::is_dropped);
        const auto wait = [&] { return measure::wait_for_end(stop, targets->awaited()); };
        if (auto done = engine.during(wait, run); !done) return done.error();
        if (auto done = show(*run.time, std::nullopt); !done) return done.error();
        return 0;
    }

  private:
    Result<void> show(const TimeSplit& split, std::optional<int> exit_code) const {
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
