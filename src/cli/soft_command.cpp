#include "cli/soft_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/own_files.h"

namespace ringside::cli {

Result<base::ScratchDir> make_soft_folder() {
    auto folder = base::ScratchDir::make_in_memory("ringside-soft");
    constexpr mode_t others_may_add = 01733;
    if (folder && ::geteuid() == 0) ::chmod(folder->path().c_str(), others_may_add);
    return folder;
}

Result<std::string> find_soft_plugin() {
    const std::string file = "libringside-soft.so";
    const auto folder = find_own_folder("softpmu", file);
    if (!folder) return folder.error();
    return *folder + "/" + file;
}

Outcome run_launch(const Result<soft::Launch>& launch, const OutputChoice& output,
                   CommandHooks hooks) {
    if (launch) {
        hooks.extra_env = launch->environment;
        return run_command(launch->command, output, hooks);
    }
    switch (launch.error().code) {
        case ErrorCode::not_found:
            return Outcome(exit_not_found, launch.error());
        case ErrorCode::not_permitted:
            return Outcome(exit_cannot_execute, launch.error());
        default:
            return launch.error();
    }
}

}  // namespace ringside::cli
