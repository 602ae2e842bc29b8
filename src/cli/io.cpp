// `ringside io`: what a command or a process reads and writes, and how long it waits for that.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/error.h"
#include "bpf/io_tracer.h"
#include "cli/interposable.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "components/io/record.h"
#include "measure/waiting.h"
#include "report/io/io_report.h"

namespace ringside::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class IoVerb final : public Verb {
  public:
    std::string name() const override { return "io"; }
    std::string summary() const override {
        return "what a command reads and writes, by file and thread, and how long it waits";
    }
    std::string examples() const override {
        return "  ringside io -- tar cf /tmp/x.tar src     calls, bytes, p50 and p99, by file\n"
               "  ringside io --threads --sort=bytes -- ./server\n"
               "  ringside io --json -o io.json -- make\n"
               "  ringside io -p 4711 --duration 10        a process that runs already\n";
    }
    void declare(Options& options) override {
        options.number("-p, --pid", "PID", pid_,
                       "a process that runs, and its children from now on");
        options.number("-d, --duration", "SECONDS", duration_s_,
                       "with --pid: stop after that; without, at its end or Ctrl-C");
        options.text(
            "--by", "METHOD", by_,
            "preload (a library in the program) or kernel (BPF at its system calls; root); "
            "preload where the program can be interposed");
        options.flag("--threads", report_.per_thread, "each thread as well");
        options.flag("--files", report_.all_files, "all files, not only the first ten");
        options.text("--sort", "KEY", sort_, "order of files: time, bytes or calls");
        declare_output(options, output_, true);
        options.command(report_.command);
    }

    Outcome run() override {
        if (auto understood = understand(); !understood) return understood.error();
        start_ = Clock::now();
        if (report_.pid != 0) return watch_process();
        if (report_.command.empty()) return run_command({}, output_, {});
        return report_.method == "preload" ? run_preloaded() : run_traced();
    }

  private:
    Result<void> understand() {
        if (sort_ == "bytes") {
            report_.sort = report::IoSort::bytes;
        } else if (sort_ == "calls") {
            report_.sort = report::IoSort::calls;
        } else if (sort_ != "time") {
            return base::fail(ErrorCode::bad_input, "cannot sort by " + sort_,
                              "--sort is time, bytes or calls");
        }
        if (!by_.empty() && by_ != "preload" && by_ != "kernel") {
            return base::fail(ErrorCode::bad_input, "no such method: " + by_,
                              "--by is preload or kernel");
        }
        report_.pid = static_cast<int>(pid_);
        if (report_.pid < 0 || (report_.pid != 0 && !report_.command.empty())) {
            return base::fail(ErrorCode::bad_input, "a process or a command, not both");
        }
        if (report_.pid != 0 && by_ == "preload") {
            return base::fail(ErrorCode::bad_input,
                              "nothing can be put into a process that runs already",
                              "leave --by away, or start the command with ringside io");
        }
        choose_method();
        return {};
    }

    void choose_method() {
        report_.method = by_;
        report_.reason = "asked for";
        if (report_.pid != 0) {
            report_.method = "kernel";
            report_.reason = "the process runs already";
        } else if (by_.empty()) {
            const auto obstacle =
                report_.command.empty() ? std::nullopt : not_interposable(report_.command.front());
            report_.method = obstacle ? "kernel" : "preload";
            report_.reason = obstacle.value_or("it is dynamically linked");
        }
    }

    Outcome run_preloaded() {
        auto folder = TableFolder::make();
        if (!folder) return folder.error();
        auto environment = folder->environment();
        if (!environment) return environment.error();
        CommandHooks hooks;
        hooks.extra_env = std::move(*environment);
        hooks.after = [&](const base::ExitStatus& status) -> Result<void> {
            auto record = components::io::read_tables(folder->path());
            if (!record) return record.error();
            if (record->programs == 0) {
                return base::fail(ErrorCode::unsupported,
                                  "the command did not load libringside-io.so",
                                  "it may be static, clear its environment, or run as another "
                                  "user; --by=kernel counts such programs");
            }
            report_.record = std::move(*record);
            return finish(&status);
        };
        return run_command(report_.command, output_, hooks);
    }

    Outcome run_traced() {
        auto tracer = bpf::IoTracer::load({});
        if (!tracer) return no_tracer(tracer.error());
        CommandHooks hooks;
        hooks.before = [&](pid_t pid) {
            return (*tracer)->follow(pid, bpf::Follow::children, true);
        };
        hooks.after = [&](const base::ExitStatus& status) {
            report_.record = (*tracer)->read();
            return finish(&status);
        };
        return run_command(report_.command, output_, hooks);
    }

    Outcome watch_process() {
        auto tracer = bpf::IoTracer::load({});
        if (!tracer) return no_tracer(tracer.error());
        if (auto done = (*tracer)->follow_process(report_.pid, bpf::Follow::children); !done) {
            return base::fail(ErrorCode::not_found, fmt::format("no process {}", report_.pid));
        }
        const auto limit =
            std::chrono::milliseconds(static_cast<long>(std::ceil(duration_s_ * 1000)));
        if (auto done = measure::wait_until_stopped(report_.pid, {}, {}, limit); !done)
            return done.error();
        report_.record = (*tracer)->read();
        if (auto done = finish(nullptr); !done) return done.error();
        return 0;
    }

    // Tracepoints through perf would need the same privileges, so there is no third way.
    Error no_tracer(const Error& why) const {
        Error error = why;
        error.what = fmt::format("I/O has to be counted in the kernel, because {}: {}",
                                 report_.reason, why.what);
        return error;
    }

    Result<void> finish(const base::ExitStatus* status) {
        report_.seconds = seconds_since(start_);
        if (status != nullptr) report_.exit_code = status->shell_code();
        if (output_.json) return deliver(output_, report::io_json(report_));
        if (output_.csv) return deliver(output_, report::io_csv(report_));
        if (!output_.file.empty())
            return deliver(output_, report::io_text(report_, report::Style(nullptr)));
        const std::string text = report::io_text(report_, report::Style(stderr));
        print_text(stderr, text);
        return {};
    }

    OutputChoice output_;
    report::IoReport report_;
    double pid_ = 0;
    double duration_s_ = 0;
    std::string by_;
    std::string sort_ = "time";
    Clock::time_point start_;
};

}  // namespace

std::unique_ptr<Verb> make_io() {
    return std::make_unique<IoVerb>();
}

}  // namespace ringside::cli
