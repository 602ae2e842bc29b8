// `ringside merge`: recordings of a host and of its guests become one.
#include "merge/merge.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "report/merge/merge_report.h"

namespace ringside::cli {

namespace {

class Merge final : public Verb {
  public:
    std::string name() const override { return "merge"; }
    std::string summary() const override {
        return "lay recordings of a host and of its guests over each other";
    }
    std::string examples() const override {
        return "  ringside merge host.data guest.data               into merged.data, and a "
               "report\n"
               "  ringside merge host.data web=a.data db=b.data -o both.data\n"
               "  ringside merge host.data guest.data --report-only --json\n"
               "  ringside report -i merged.data                    host and guest in one table\n"
               "  ringside export firefox -i merged.data -o t.json  and on one timeline\n"
               "\n"
               "On the host, while the guest is recorded (in the guest: ringside record -a):\n"
               "  ringside record -a -e cpu-clock,kvm:kvm_entry,kvm:kvm_exit,"
               "kvm:kvm_userspace_exit,sched:sched_switch,sched:sched_wakeup -o host.data\n"
               "\n"
               "The guest's clock comes from the CPU's counter where both recorders noted it and\n"
               "KVM's offset is known; otherwise from this: a guest's sample can only lie between\n"
               "kvm_entry and kvm_exit of its vCPU. Where several clocks fit, nothing is merged.\n";
    }
    void declare(Options& options) override {
        options.operand("HOST", request_.host_file, "the host's recording, with kvm events", true);
        options.operands("GUEST", guests_, "recordings made inside guests, each FILE or NAME=FILE");
        options.text("-o, --output", "FILE", request_.output, "the merged recording [merged.data]");
        options.flag("--report-only", report_only_, "write no merged recording");
        options.flag("--json", output_.json, "the report for programs, on standard output");
        options.flag("--csv", output_.csv, "the same as comma-separated values, a row a vCPU");
        options.texts("--vm", "[NAME=]PID", machines_, "the guest is the machine of this process");
        options.texts("--offset", "[NAME=]NS", offsets_,
                      "host time minus guest time, instead of finding it");
        options.flag("--by-runs", by_runs_, "do not use the CPU's counter");
    }

    Outcome run() override {
        if (auto done = read_options(); !done) return done.error();
        const auto report = merge::merge(request_);
        if (!report) return report.error();
        for (const auto& warning : report->warnings)
            print_text(stderr, fmt::format("ringside merge: {}\n", warning));
        const std::string text = output_.json  ? report::merge_json(*report)
                                 : output_.csv ? report::merge_csv(*report)
                                               : report::merge_text(*report);
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    Result<void> read_options() {
        if (guests_.empty())
            return base::fail(ErrorCode::bad_input, "GUEST is missing",
                              "ringside merge host.data guest.data");
        for (const auto& word : guests_) add_guest(word);
        for (const auto& word : machines_) {
            const auto target = named(word);
            const auto pid = target ? base::parse_u64(target->value) : std::nullopt;
            if (!target) return target.error();
            if (!pid || *pid > UINT32_MAX)
                return base::fail(ErrorCode::bad_input, "--vm requires a process: " + word);
            target->guest->wanted.pid = static_cast<std::uint32_t>(*pid);
        }
        for (const auto& word : offsets_) {
            const auto target = named(word);
            if (!target) return target.error();
            target->guest->wanted.offset_ns = base::parse_i64(target->value);
            if (!target->guest->wanted.offset_ns)
                return base::fail(ErrorCode::bad_input, "--offset requires nanoseconds: " + word);
        }
        for (auto& guest : request_.guests) guest.wanted.only_runs = by_runs_;
        if (report_only_) request_.output.clear();
        request_.version = fmt::format("ringside {}", version);
        request_.command_line = own_command_line(root_);
        return {};
    }

    // "web=a.data", or "a.data", which is then called "a".
    void add_guest(const std::string& word) {
        const auto equals = word.find('=');
        const bool is_named = equals != std::string::npos && word.find('/') > equals;
        merge::GuestInput guest;
        guest.file = is_named ? word.substr(equals + 1) : word;
        guest.name =
            is_named ? word.substr(0, equals) : std::filesystem::path(guest.file).stem().string();
        request_.guests.push_back(std::move(guest));
    }

    struct Named {
        merge::GuestInput* guest = nullptr;
        std::string value;
    };
    // "NAME=VALUE", or a value alone where there is one guest.
    Result<Named> named(const std::string& word) {
        const auto equals = word.find('=');
        if (equals == std::string::npos && request_.guests.size() == 1)
            return Named{&request_.guests.front(), word};
        for (auto& guest : request_.guests)
            if (guest.name == word.substr(0, equals) && equals != std::string::npos)
                return Named{&guest, word.substr(equals + 1)};
        return base::fail(ErrorCode::bad_input, "for which guest is " + word + "?",
                          "NAME=VALUE, with a name as in NAME=FILE");
    }

    base::SysRoot root_;
    OutputChoice output_;
    merge::Request request_ = [] {
        merge::Request request;
        request.output = "merged.data";
        return request;
    }();
    std::vector<std::string> guests_;
    std::vector<std::string> machines_;
    std::vector<std::string> offsets_;
    bool report_only_ = false;
    bool by_runs_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_merge() {
    return std::make_unique<Merge>();
}

}  // namespace ringside::cli
