// `ringside record`: samples a command, processes, threads, CPUs or a cgroup into a perf.data file.
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/measure_options.h"
#include "cli/record_run.h"
#include "cli/record_soft.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "measure/events.h"

namespace ringside::cli {

namespace {

// "fp", "dwarf", "dwarf,16384", "lbr".
Result<void> parse_call_graph(std::string_view text, record::Settings& settings) {
    constexpr std::uint64_t most_stack_bytes = 65528;  // what a record can hold
    const auto words = base::split(text, ',');
    const bool sized = words.size() == 2 && words[0] == "dwarf";
    if (words[0] == "fp" && words.size() == 1) {
        settings.call_graph = record::CallGraph::frame_pointers;
    } else if (words[0] == "lbr" && words.size() == 1) {
        settings.call_graph = record::CallGraph::lbr;
    } else if (words[0] == "dwarf" && (words.size() == 1 || sized)) {
        settings.call_graph = record::CallGraph::dwarf;
        const auto bytes = sized ? base::parse_u64(words[1]) : settings.stack_bytes;
        if (!bytes || *bytes < 8 || *bytes > most_stack_bytes || *bytes % 8 != 0)
            return base::fail(ErrorCode::bad_input,
                              "not a size of stacks: " + std::string(words[1]),
                              fmt::format("a multiple of 8 up to {}", most_stack_bytes));
        settings.stack_bytes = static_cast<std::uint32_t>(*bytes);
    } else {
        return base::fail(ErrorCode::bad_input, "unknown kind of call graph: " + std::string(text),
                          "fp, dwarf, dwarf,BYTES or lbr");
    }
    return {};
}

class Record final : public Verb {
  public:
    std::string name() const override { return "record"; }
    std::string summary() const override {
        return "sample where time goes, into a file that `ringside report` and perf read";
    }
    std::string examples() const override {
        return "  ringside record -- ./a.out               where its CPU time goes\n"
               "  ringside record -g -- ./a.out            with callers, by frame pointers\n"
               "  ringside record --call-graph dwarf -- ./a.out   where there are none\n"
               "  ringside record -p 4711 -- sleep 10      what process 4711 does in 10 s\n"
               "  ringside record -a                       the whole machine, until Ctrl-C\n"
               "  ringside record --off-cpu -g -- ./a.out  what it waits for, too\n"
               "  ringside record -a --guest -- sleep 10   a KVM host with its guests\n"
               "  ringside record -e cache-misses,sched:sched_switch -- ./a.out\n"
               "  ringside record --soft -- ./a.out        every millionth instruction, under "
               "QEMU\n"
               "  ringside report                          then look at it\n"
               "\n"
               "Without -e it samples cycles, and where no counter can be sampled, as in most\n"
               "virtual machines, cpu-clock: that is said, and written into the file. The file\n"
               "can be read at any moment of the recording, even if the recorder is killed.\n";
    }
    void declare(Options& options) override {
        options.texts("-e, --event", "EVENTS", events_,
                      "what to sample by, several with commas or -e again [cycles]");
        options.number("-F, --freq", "HZ", frequency_hz_, "samples a second and CPU [999]");
        options.number("-c, --count", "N", period_, "a sample every N events instead");
        options.flag("-g", frame_pointers_, "record callers, by frame pointers");
        options.text("--call-graph", "KIND", call_graph_,
                     "the same by fp, dwarf[,BYTES of stack, 8192], or lbr where there is one");
        declare_targets(options, request_.targets);
        options.flag("--off-cpu", settings_.off_cpu,
                     "also where threads wait and for how long; stolen time apart (BPF, root)");
        options.flag("--guest", settings_.guest, "on a KVM host: sample inside its guests, too");
        options.flag("--soft", in_software_,
                     "sample the command in software, under QEMU, by an event of `stat --soft`");
        options.text("-o, --output", "FILE", settings_.file, "the recording [ringside.data]");
        options.number("-m, --buffer", "KB", buffer_kb_, "memory for each CPU's samples [1024]");
        options.flag("--json", request_.output.json, "a summary for programs, on standard output");
        options.command(request_.command);
    }

    Outcome run() override {
        if (in_software_) return run_soft();
        if (auto done = read_options(); !done) return done.error();
        return RecordRun(name(), request_).run();
    }

  private:
    Outcome run_soft() {
        const bool more = events_.size() > 1 || frame_pointers_ || !call_graph_.empty() ||
                          settings_.off_cpu || settings_.guest || !request_.targets.only_command();
        if (more) {
            return base::fail(ErrorCode::bad_input,
                              "--soft samples one event of a command, without callers",
                              "leave out -g, --call-graph, --off-cpu, --guest and targets");
        }
        if (period_ < 0) return base::fail(ErrorCode::bad_input, "-c requires a positive number");
        return record_soft({request_.command, settings_.file,
                            events_.empty() ? "instructions" : events_.front(),
                            static_cast<std::uint64_t>(period_), request_.output,
                            own_command_line(request_.root), fmt::format("ringside {}", version)});
    }

    Result<void> read_options() {
        if (frequency_hz_ < 1 || period_ < 0 || buffer_kb_ < 1)
            return base::fail(ErrorCode::bad_input, "-F, -c and -m want positive numbers");
        settings_.frequency_hz = static_cast<std::uint64_t>(frequency_hz_);
        settings_.period = static_cast<std::uint64_t>(period_);
        settings_.buffer_bytes = static_cast<std::size_t>(buffer_kb_) << 10;
        if (settings_.off_cpu &&
            !(request_.targets.cpus.empty() && request_.targets.cgroup.empty()))
            return base::fail(ErrorCode::bad_input, "--off-cpu follows threads",
                              "give a command, -p, -t or -a");
        if (frame_pointers_) settings_.call_graph = record::CallGraph::frame_pointers;
        if (!call_graph_.empty()) {
            if (auto done = parse_call_graph(call_graph_, settings_); !done) return done;
        }
        if (events_.empty()) events_.push_back("cycles");
        auto events = measure::find_sampled_events(request_.root, events_);
        if (!events) return events.error();
        settings_.events = std::move(*events);
        return {};
    }

    RecordRequest request_ = [] {
        RecordRequest request;
        request.settings.file = "ringside.data";
        return request;
    }();
    record::Settings& settings_ = request_.settings;
    std::vector<std::string> events_;
    std::string call_graph_;
    bool frame_pointers_ = false;
    bool in_software_ = false;
    double frequency_hz_ = 999;
    double period_ = 0;
    double buffer_kb_ = 1024;
};

}  // namespace

std::unique_ptr<Verb> make_record() {
    return std::make_unique<Record>();
}

}  // namespace ringside::cli
