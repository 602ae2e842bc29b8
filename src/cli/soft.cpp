// `ringside soft`: what the soft PMU of a machine has counted so far, and its switch.
#include "base/error.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/soft/soft_report.h"
#include "soft/count_file.h"
#include "soft/switch.h"

namespace ringside::cli {

namespace {

using base::fail;
using soft::CountFile;

class Soft final : public Verb {
  public:
    std::string name() const override { return "soft"; }
    std::string summary() const override {
        return "show what the soft PMU of a machine counted, and switch it off and on";
    }
    std::string examples() const override {
        return "  qemu-system-x86_64 ... -plugin libringside-soft.so,folder=/dev/shm/vm,start=off\n"
               "  ringside soft --switch on /dev/shm/vm/4711-0.soft\n"
               "  ringside soft /dev/shm/vm/4711-0.soft        while it runs, or later\n"
               "\n"
               "A machine that is switched off runs as fast as without the plugin.\n";
    }
    void declare(Options& options) override {
        options.operands("FILE", files_, "the counts: PID-N.soft in the plugin's folder");
        options.text("--switch", "on|off", switch_, "go on counting, or stop");
        options.flag("--per-cpu", per_cpu_, "each vCPU's counts, too");
        declare_output(options, output_, false);
    }
    Outcome run() override;

  private:
    OutputChoice output_;
    std::vector<std::string> files_;
    std::string switch_;
    bool per_cpu_ = false;
};

Outcome Soft::run() {
    if (files_.size() != 1) return fail(ErrorCode::bad_input, "name one file of counts");
    if (!switch_.empty() && switch_ != "on" && switch_ != "off") {
        return fail(ErrorCode::bad_input, "--switch requires on or off, not " + switch_);
    }
    const auto file = switch_.empty() ? CountFile::read(files_[0])
                                      : soft::switch_machine(files_[0], switch_ == "off");
    if (!file) return file.error();
    const auto done =
        deliver(output_, output_.json ? report::soft_json(files_[0], *file)
                                      : report::soft_text(files_[0], *file, per_cpu_));
    if (!done) return done.error();
    return 0;
}

}  // namespace

std::unique_ptr<Verb> make_soft() {
    return std::make_unique<Soft>();
}

}  // namespace ringside::cli
