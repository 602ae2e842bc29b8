// `ringside soft`: what the soft PMU of a machine has counted so far, and its switch.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/amounts.h"
#include "cli/json_text.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "soft/count_file.h"
#include "soft/events.h"
#include "soft/switch.h"

namespace ringside::cli {

namespace {

using base::fail;
using soft::CountFile;
using Json = nlohmann::ordered_json;

std::string soft_json(const std::string& path, const CountFile& file) {
    Json json = {{"schema", "ringside.soft/1"}, {"file", path},
                 {"pid", file.extension().pid}, {"counting", !file.is_off()},
                 {"events", Json::array()},     {"devices", Json::array()}};
    for (const auto& event : soft::all_events()) {
        const bool counts = file.counts(event.counter);
        json["events"].push_back(
            {{"name", event.name},
             {"value", counts ? Json(file.total(event.counter)) : Json(nullptr)},
             {"vcpus", counts ? Json(file.of_vcpus(event.counter)) : Json(nullptr)},
             {"reason", counts ? Json(nullptr) : Json("the plugin was not asked to count it")},
             {"soft", true}});
    }
    for (const auto& device : file.devices()) {
        json["devices"].push_back(
            {{"name", device.name}, {"reads", device.reads}, {"writes", device.writes}});
    }
    return json_text(json);
}

std::string number(std::uint64_t count) {
    return grouped(static_cast<double>(count));
}

std::string soft_text(const std::string& path, const CountFile& file, bool per_cpu) {
    std::string text =
        fmt::format("{}: of process {}, {}\n", path, file.extension().pid,
                    file.is_off() ? "switched off: nothing is counted now" : "counting");
    for (const auto& event : soft::all_events()) {
        if (!file.counts(event.counter)) continue;
        text += fmt::format("{:>20}  {} (soft)\n", number(file.total(event.counter)), event.name);
        const auto vcpus = per_cpu ? file.of_vcpus(event.counter) : std::vector<std::uint64_t>();
        for (std::size_t i = 0; i < vcpus.size(); ++i) {
            text += fmt::format("{:>20}    on vCPU {}\n", number(vcpus[i]), i);
        }
    }
    for (const auto& device : file.devices()) {
        text += fmt::format("{:>20}  reads of and {} writes to {}\n", number(device.reads),
                            number(device.writes), device.name);
    }
    return text;
}

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
        return fail(ErrorCode::bad_input, "--switch wants on or off, not " + switch_);
    }
    const auto file = switch_.empty() ? CountFile::read(files_[0])
                                      : soft::switch_machine(files_[0], switch_ == "off");
    if (!file) return file.error();
    const auto done = deliver(output_, output_.json ? soft_json(files_[0], *file)
                                                    : soft_text(files_[0], *file, per_cpu_));
    if (!done) return done.error();
    return 0;
}

}  // namespace

std::unique_ptr<Verb> make_soft() {
    return std::make_unique<Soft>();
}

}  // namespace ringside::cli
