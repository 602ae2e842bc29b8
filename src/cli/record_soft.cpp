#include "cli/record_soft.h"

#include <filesystem>

#include <fmt/format.h>

#include <ringside/clocks.h>

#include "base/error.h"
#include "cli/terminal.h"
#include "measure/soft_counters.h"
#include "record/soft.h"
#include "report/record/record_report.h"
#include "soft/run.h"

namespace ringside::cli {

namespace {

Result<void> write_recording(const SoftRecordRequest& request, record::SoftRecording recording,
                             int exit_code) {
    const auto run = soft::read_run(recording.folder);
    if (!run) return run.error();
    if (run->totals[SOFT_INSTRUCTIONS] == 0) {
        return base::fail(ErrorCode::unsupported,
                          "QEMU ended before the command's first instruction",
                          "what it said about that is above");
    }
    for (auto& note : run->notes()) recording.notes.push_back("soft: " + std::move(note));
    const auto summary = record::write_soft_recording(base::SysRoot(), recording);
    if (!summary) return summary.error();
    if (request.output.json) {
        return deliver(request.output,
                       report::record_json(*summary, recording.file, recording.notes, exit_code));
    }
    for (const auto& note : recording.notes)
        print_text(stderr, fmt::format("ringside record: {}\n", note));
    print_text(stderr, report::record_text(*summary, recording.file));
    return {};
}

}  // namespace

Outcome record_soft(const SoftRecordRequest& request) {
    if (request.command.empty()) {
        return base::fail(ErrorCode::bad_input, "--soft samples a command that it starts",
                          "give one after --");
    }
    const auto event = soft::find_program_event(request.event);
    if (!event) return event.error();
    const auto plugin = measure::find_soft_plugin();
    if (!plugin) return plugin.error();
    const auto folder = measure::make_soft_folder();
    if (!folder) return folder.error();
    soft::LaunchOptions options;
    options.plugin = *plugin;
    options.folder = folder->path();
    options.sample(*event, request.period != 0 ? request.period : soft::usual_period(*event));
    const auto launch = soft::plan_launch(request.command, options);

    record::SoftRecording recording{
        folder->path(),       request.file,   "soft:" + event->stat_name, options.period, 0, {},
        request.command_line, request.version};
    if (launch) {
        recording.notes.push_back(fmt::format(
            "soft: sampled in software by {}, every {} {}; where time goes is another question",
            std::filesystem::path(launch->command.front()).filename().string(), options.period,
            event->stat_name));
    }
    const std::uint64_t begin_ns = real_ns();
    CommandHooks hooks;
    hooks.after = [&](const base::ExitStatus& status) {
        recording.elapsed_ns = real_ns() - begin_ns;
        return write_recording(request, recording, status.shell_code());
    };
    if (!launch) return measure::not_launched(launch.error());
    hooks.extra_env = launch->environment;
    return run_command(launch->command, request.output, std::move(hooks));
}

}  // namespace ringside::cli
