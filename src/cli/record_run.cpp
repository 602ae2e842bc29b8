#include "cli/record_run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "report/record/record_report.h"

namespace ringside::cli {

namespace {

// What is said while it is recorded.
class Sayings final : public measure::Collector {
  public:
    Sayings(std::string verb, const measure::Samples& samples)
        : verb_(std::move(verb)), samples_(samples) {}

    Result<void> attach(pid_t) override {
        for (const auto& note : samples_.recorder().notes())
            print_text(stderr, fmt::format("ringside {}: {}\n", verb_, note));
        return {};
    }
    Result<void> begin() override {
        line_.emplace(samples_.recorder());
        return {};
    }
    Result<void> end() override {
        line_.reset();
        return {};
    }
    Result<void> collect(const std::optional<base::ExitStatus>&, run::Run&) override { return {}; }

  private:
    std::string verb_;
    const measure::Samples& samples_;
    std::optional<ProgressLine> line_;
};

}  // namespace

Outcome RecordRun::run() {
    request_.settings.version = fmt::format("ringside {}", version);
    request_.settings.command_line = own_command_line(request_.root);
    const auto targets = measure::Targets::parse(request_.targets);
    if (!targets) return targets.error();
    if (request_.command.empty() && targets->of_command())
        return base::fail(ErrorCode::bad_input, "nothing to record",
                          "give a command after --, or one of -p, -t, -a, -C, --cgroup");
    measure::Samples samples(*targets, request_.settings, false);
    Sayings sayings(verb_, samples);
    measure::Engine engine({&samples, &sayings});
    run::Run run;
    if (!request_.command.empty()) {
        CommandHooks hooks = hooks_beside(request_.output);
        Outcome outcome = engine.around(request_.command, std::move(hooks), run);
        if (outcome.error) return outcome;
        if (auto done = report(samples, outcome.exit_code); !done) return done.error();
        return outcome;
    }
    const measure::StopSignals stop(measure::StopSignals::Late::is_dropped);
    const auto wait = [&] { return measure::wait_for_end(stop, targets->awaited()); };
    if (auto done = engine.during(wait, run); !done) return done.error();
    if (auto done = report(samples, std::nullopt); !done) return done.error();
    return 0;
}

Result<void> RecordRun::report(const measure::Samples& samples,
                               std::optional<int> exit_code) const {
    const record::Summary& summary = samples.summary();
    const std::string& file = request_.settings.file;
    if (request_.output.json) {
        const auto json = report::record_json(summary, file, samples.recorder().notes(), exit_code);
        if (auto done = deliver(request_.output, json); !done) return done;
    } else {
        print_text(stderr,
                   fmt::format("ringside {}: {}", verb_, report::record_text(summary, file)));
    }
    if (!summary.progress.failure) return {};
    Error error = *summary.progress.failure;
    error.hint = fmt::format("recording ended there; the {} samples before it are in {}",
                             summary.progress.tally.samples, file);
    return error;
}

}  // namespace ringside::cli
