#include "cli/record_run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/run_command.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cli/wait_for_end.h"
#include "report/record/record_report.h"

namespace ringside::cli {

Outcome RecordRun::run() {
    request_.settings.version = fmt::format("ringside {}", version);
    request_.settings.command_line = own_command_line(request_.root);
    if (!request_.command.empty()) return record_command();
    if (request_.targets.only_command())
        return base::fail(ErrorCode::bad_input, "nothing to record",
                          "give a command after --, or one of -p, -t, -a, -C, --cgroup");
    return record_until_end();
}

Outcome RecordRun::record_command() {
    CommandHooks hooks;
    hooks.before = [&](pid_t pid) { return open(pid); };
    hooks.started = [&] { return begin(); };
    hooks.ended = [&] { progress_.reset(); };
    hooks.after = [&](const base::ExitStatus& status) { return finish(status.shell_code()); };
    return run_command(request_.command, request_.output, hooks);
}

Outcome RecordRun::record_until_end() {
    const EndWatch watch;
    if (auto done = open(0); !done) return done.error();
    if (auto done = begin(); !done) return done.error();
    const auto& targets = request_.targets;
    if (auto done = watch.wait(targets.processes(), targets.threads()); !done) return done.error();
    progress_.reset();
    if (auto done = finish(std::nullopt); !done) return done.error();
    return 0;
}

Result<void> RecordRun::open(pid_t command) {
    auto& settings = request_.settings;
    if (auto done = request_.targets.find(request_.root, command, settings); !done) return done;
    auto recorder = record::Recorder::open(request_.root, settings);
    if (!recorder) return recorder.error();
    recorder_ = std::move(*recorder);
    for (const auto& note : recorder_->notes())
        print_text(stderr, fmt::format("ringside {}: {}\n", verb_, note));
    return {};
}

Result<void> RecordRun::begin() {
    if (auto done = recorder_->begin(); !done) return done;
    progress_.emplace(*recorder_);
    return {};
}

Result<void> RecordRun::finish(std::optional<int> exit_code) {
    const auto summary = recorder_->finish();
    if (!summary) return summary.error();
    const std::string& file = request_.settings.file;
    if (request_.output.json) {
        const auto json = report::record_json(*summary, file, recorder_->notes(), exit_code);
        if (auto done = deliver(request_.output, json); !done) return done;
    } else {
        print_text(stderr,
                   fmt::format("ringside {}: {}", verb_, report::record_text(*summary, file)));
    }
    if (!summary->progress.failure) return {};
    Error error = *summary->progress.failure;
    error.hint = fmt::format("recording ended there; the {} samples before it are in {}",
                             summary->progress.tally.samples, file);
    return error;
}

}  // namespace ringside::cli
