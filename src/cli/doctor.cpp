// ringside doctor: what this machine can measure, and how far to trust it.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/doctor/doctor_report.h"
#include "report/style.h"
#include "trust/examine.h"

namespace ringside::cli {

namespace {

class Doctor : public Verb {
  public:
    std::string name() const override { return "doctor"; }
    std::string summary() const override {
        return "what this machine can measure, and how far to trust it";
    }
    std::string examples() const override {
        return "  ringside doctor                  a report for people\n"
               "  ringside doctor --json | jq .pmu the same for programs\n"
               "  ringside doctor --watch 60       see whether the host takes counters away\n"
               "  RINGSIDE_PAGE=FILE ringside doctor  read the hypervisor's shared page there\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, false);
        options.number("--watch", "SECONDS", watch_seconds_,
                       "how long to watch counters for being taken away (0.3)");
    }

    Outcome run() override {
        if (!std::isfinite(watch_seconds_) || watch_seconds_ < 0 || watch_seconds_ > 86400) {
            return base::fail(ErrorCode::bad_input, "--watch requires 0 to 86400 seconds");
        }
        trust::ExamineOptions options;
        options.watch = std::chrono::milliseconds(std::llround(watch_seconds_ * 1000));
        if (const char* file = std::getenv("RINGSIDE_PAGE")) options.page_file = file;
        const trust::Report report = trust::examine({}, options);
        const std::string text = output_.json ? report::doctor_json(report)
                                              : report::doctor_text(report, report::Style(stdout));
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    OutputChoice output_;
    double watch_seconds_ = 0.3;
};

}  // namespace

std::unique_ptr<Verb> make_doctor() {
    return std::make_unique<Doctor>();
}

}  // namespace ringside::cli
