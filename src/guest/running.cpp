#include "guest/running.h"

#include <algorithm>

#include "base/text.h"
#include "proc/task.h"

namespace ringside::guest {

namespace {

// The word behind an option, or nothing.
std::string_view value_of(const std::vector<std::string_view>& words, std::string_view option) {
    const auto found = std::find(words.begin(), words.end(), option);
    return found == words.end() || found + 1 == words.end() ? std::string_view() : found[1];
}

}  // namespace

// Descriptors that it was lent say of which folder of a run (box.cpp) they are; no other QEMU's do.
std::optional<RunningGuest> read_command_line(std::string_view command_line) {
    const auto words = base::split(command_line, '\0');
    if (!base::contains(words.front(), "qemu-system-")) return std::nullopt;
    if (!base::contains(value_of(words, "-add-fd"), "/ringside-box@")) return std::nullopt;
    RunningGuest guest;
    guest.kind = base::split(value_of(words, "-name"), ',').front();
    guest.cpus = value_of(words, "-smp");
    guest.memory_mb = value_of(words, "-m");
    guest.accelerator = value_of(words, "-accel");
    return guest;
}

std::vector<RunningGuest> running_guests(const base::SysRoot& root) {
    std::vector<RunningGuest> guests;
    for (const pid_t pid : proc::list_processes(root).value_or({})) {
        const auto line = root.read("/proc/" + std::to_string(pid) + "/cmdline");
        auto guest = line ? read_command_line(*line) : std::nullopt;
        if (!guest) continue;
        guest->pid = pid;
        guests.push_back(std::move(*guest));
    }
    return guests;
}

}  // namespace ringside::guest
