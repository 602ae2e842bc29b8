#include "soft/launch.h"

#include <cerrno>

#include <fmt/format.h>

#include "abi/soft_counts.h"
#include "base/error.h"
#include "base/process.h"
#include "proc/program.h"
#include "soft/emulator.h"

namespace ringside::soft {

namespace {

using base::fail;
using proc::Program;

Result<Program> find_program(const std::string& name) {
    const auto path = base::find_executable(name);
    const Program program =
        path ? proc::read_program(*path) : Program{.error = ENOENT, .words = {name}};
    if (program.error == ENOEXEC) {
        return fail(ErrorCode::not_permitted,
                    fmt::format("cannot run {}: it is no program", program.words.front()));
    }
    if (program.error != 0) return base::fail_errno(program.error, "cannot run " + name);
    if (program.privileged) {
        return fail(ErrorCode::unsupported, name + " runs as another user, which QEMU cannot",
                    "run it as that user");
    }
    return program;
}

Result<std::string> find_emulator(const Program& program) {
    const char* name = emulator_of(program);
    if (name == nullptr) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the soft PMU counts 64-bit x86 and Arm programs, and {} is "
                                "neither",
                                program.words.front()));
    }
    if (auto path = base::find_executable(name)) return *path;
    return fail(ErrorCode::unsupported, fmt::format("the soft PMU needs {}", name),
                "apt install qemu-user (the static one takes no plugins)");
}

std::string plugin_option(const LaunchOptions& options) {
    std::string text = fmt::format("{},folder={},mode=count", option_text(options.plugin),
                                   option_text(options.folder));
    if (options.period != 0) text += fmt::format(",period={}", options.period);
    if (options.sampled != 0) text += fmt::format(",sampled={}", options.sampled);
    if (options.branches) text += ",branches=on";
    if (options.memory) text += ",memory=on";
    if (options.predictor) text += ",predictor=on";
    if (options.caches) text += ",caches=on";
    return text;
}

}  // namespace

void LaunchOptions::want(const Event& event) {
    branches = branches || event.needs == Needs::branches;
    memory = memory || event.needs == Needs::memory;
    predictor = predictor || event.needs == Needs::predictor;
    caches = caches || event.needs == Needs::caches;
}

void LaunchOptions::sample(const Event& event, std::uint64_t every) {
    want(event);
    period = every;
    sampled = event.counter;
}

Result<Launch> plan_launch(const std::vector<std::string>& command, const LaunchOptions& options) {
    const auto program = find_program(command.front());
    if (!program) return program.error();
    const auto emulator = find_emulator(*program);
    if (!emulator) return emulator.error();
    return Launch{emulated_arguments(*emulator, plugin_option(options), *program, command),
                  {SOFT_FOLDER_VARIABLE "=" + options.folder}};
}

}  // namespace ringside::soft
