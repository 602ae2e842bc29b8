// `ringside measure`: one side of a comparison, for machines that cannot be reached together.
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/measure_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "measure/side.h"

namespace ringside::cli {

namespace {

class Measure final : public Verb {
  public:
    std::string name() const override { return "measure"; }
    std::string summary() const override {
        return "run a command N times, counted and sampled, into a folder to compare";
    }
    std::string examples() const override {
        return "  ringside measure -o here -- ./solver a.dat       on one machine\n"
               "  ringside measure -o there -- ./solver a.dat      on another\n"
               "  ringside compare here there                      then, anywhere\n"
               "\n"
               "What the command prints goes to files of its run. Standard input is empty.\n";
    }
    void declare(Options& options) override {
        options.text("-o, --output", "DIR", folder_, "the folder, new or empty [ringside.run]");
        options.text("--name", "NAME", label_.name, "what to call this side [the folder's name]");
        options.text("--kind", "KIND", kind_, "native, kvm, tcg, ssh or file [native]");
        options.text("-D, --directory", "DIR", directory_, "run it in DIR");
        declare_plan(options, plan_);
        options.command(plan_.command);
    }

    Outcome run() override {
        if (label_.name.empty()) label_.name = folder_.substr(folder_.rfind('/') + 1);
        const auto kind = run::parse_side_kind(kind_);
        if (!kind) return base::fail(ErrorCode::bad_input, "no kind of side: " + kind_);
        label_.kind = *kind;
        std::error_code error;
        folder_ = std::filesystem::absolute(folder_, error).string();
        if (!directory_.empty() && ::chdir(directory_.c_str()) != 0) {
            return base::fail_errno(errno, "cannot enter " + directory_);
        }
        return measure::measure_side(folder_, label_, plan_, [](const std::string& line) {
            print_text(stderr, fmt::format("ringside measure: {}\n", line));
        });
    }

  private:
    std::string folder_ = "ringside.run";
    std::string directory_;
    std::string kind_ = "native";
    measure::SideLabel label_;
    measure::Plan plan_;
};

}  // namespace

std::unique_ptr<Verb> make_measure() {
    return std::make_unique<Measure>();
}

}  // namespace ringside::cli
