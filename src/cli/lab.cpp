// ringside lab: play scenarios of sharing a PMU, and compare what guests count with the truth.
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "base/file_io.h"
#include "base/sys_root.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lab/sweep.h"
#include "report/lab/lab_report.h"

namespace ringside::cli {

namespace {

constexpr const char* scenarios[] = {"alone-legacy",
                                     "conflict-legacy",
                                     "conflict-mediated",
                                     "top-down",
                                     "dashboard",
                                     "arm-count-2",
                                     "arm-count-4",
                                     "arm-dashboard",
                                     "arm-record",
                                     "arm-multiplex",
                                     "threads",
                                     "paravirtual",
                                     "paravirtual-sampling",
                                     "migration",
                                     "promised-too-much",
                                     "packet-receive",
                                     "common-mix",
                                     "switching",
                                     "shared-view",
                                     "fleet"};

Result<lab::Scenario> load_scenario(const std::string& name) {
    if (const auto text = base::embedded_file("lab/" + name + ".toml")) {
        return lab::parse_scenario(*text, name + ".toml");
    }
    const auto text = base::SysRoot().read(name);
    if (!text) {
        Error error = text.error();
        error.hint = "ringside lab list names the scenarios that come along";
        return error;
    }
    return lab::parse_scenario(*text, name);
}

Result<lab::Scenario> load_scenario(const std::string& name, const std::string& policy) {
    auto scenario = load_scenario(name);
    if (!scenario || policy.empty()) return scenario;
    if (auto chosen = lab::choose_policy(*scenario, policy); !chosen) return chosen.error();
    return scenario;
}

class LabList : public Verb {
  public:
    std::string name() const override { return "lab list"; }
    std::string summary() const override { return "the scenarios that come along"; }
    std::string examples() const override { return "  ringside lab list\n"; }
    void declare(Options&) override {}
    Outcome run() override {
        for (const char* name : scenarios) {
            const auto scenario = load_scenario(name);
            if (!scenario) return scenario.error();
            print_text(stdout, fmt::format("{:<20} {}\n", name, scenario->title));
        }
        return 0;
    }
};

class LabRun : public Verb {
  public:
    std::string name() const override { return "lab run"; }
    std::string summary() const override { return "play a scenario: counts beside the truth"; }
    std::string examples() const override {
        return "  ringside lab run conflict-legacy                     the guest's silent zeros\n"
               "  ringside lab run common-mix --policy lazy_mediated   every machine under one "
               "policy\n"
               "  ringside lab run mine.toml --json                    a scenario of your own\n";
    }
    void declare(Options& options) override {
        options.text("--policy", "P", policy_, "put every machine under this policy");
        options.text("--page", "FILE", page_,
                     "write the shared page of the first machine there, for RINGSIDE_PAGE");
        declare_output(options, output_, false);
        options.operand("SCENARIO", scenario_, "a name of `lab list`, or a TOML file", true);
    }
    Outcome run() override {
        const auto scenario = load_scenario(scenario_, policy_);
        if (!scenario) return scenario.error();
        const lab::Costs costs = lab::read_costs();
        const auto result = lab::simulate(*scenario, costs);
        const auto delivered = deliver(
            output_, output_.json
                         ? report::lab_json(*scenario, result, costs)
                         : report::lab_text(*scenario, result, costs, report::Style(stdout)));
        if (!delivered) return delivered.error();
        if (page_.empty()) return 0;
        const std::string_view page(reinterpret_cast<const char*>(result.page.data()),
                                    result.page.size() * sizeof result.page[0]);
        if (auto written = base::replace_file(page_, page); !written) return written.error();
        return 0;
    }

  private:
    std::string scenario_;
    std::string policy_;
    std::string page_;
    OutputChoice output_;
};

class LabSweep : public Verb {
  public:
    std::string name() const override { return "lab sweep"; }
    std::string summary() const override {
        return "at which exit rate each policy costs more than it saves";
    }
    std::string examples() const override {
        return "  ringside lab sweep common-mix      cost of each policy, by exits per ms\n";
    }
    void declare(Options& options) override {
        options.operand("SCENARIO", scenario_, "a name of `lab list`, or a TOML file", true);
    }
    Outcome run() override {
        const auto scenario = load_scenario(scenario_);
        if (!scenario) return scenario.error();
        const lab::Costs costs = lab::read_costs();
        print_text(stdout, report::lab_sweep_text(lab::sweep(*scenario, costs), costs));
        return 0;
    }

  private:
    std::string scenario_;
};

class LabTrace : public Verb {
  public:
    std::string name() const override { return "lab trace"; }
    std::string summary() const override { return "a scenario as a timeline for a viewer"; }
    std::string examples() const override {
        return "  ringside lab trace threads -o t.json   then open it in ui.perfetto.dev or\n"
               "                                         profiler.firefox.com\n";
    }
    void declare(Options& options) override {
        options.text("--policy", "P", policy_, "put every machine under this policy");
        options.text("-o, --output", "FILE", output_.file, "write it there instead of to stdout");
        options.operand("SCENARIO", scenario_, "a name of `lab list`, or a TOML file", true);
    }
    Outcome run() override {
        const auto scenario = load_scenario(scenario_, policy_);
        if (!scenario) return scenario.error();
        constexpr std::size_t most_events = 1'000'000;
        lab::Timeline timeline(most_events);
        (void)lab::simulate(*scenario, lab::read_costs(), &timeline);
        if (timeline.dropped() != 0) {
            fmt::print(stderr, "lab trace: the first {} events; {} more were left out\n",
                       most_events, timeline.dropped());
        }
        if (auto done = deliver_bytes(output_, report::lab_trace(*scenario, timeline)); !done) {
            return done.error();
        }
        return 0;
    }

  private:
    std::string scenario_;
    std::string policy_;
    OutputChoice output_;
};

}  // namespace

void add_lab_verbs(Verbs& verbs) {
    verbs.push_back(std::make_unique<LabList>());
    verbs.push_back(std::make_unique<LabRun>());
    verbs.push_back(std::make_unique<LabSweep>());
    verbs.push_back(std::make_unique<LabTrace>());
}

}  // namespace ringside::cli
