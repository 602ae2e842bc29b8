#include "guest/running.h"

#include <algorithm>

#include "base/text.h"

namespace ringside::guest {

namespace {

// The word behind an option, or nothing.
std::string_view value_of(const std::vector<std::string_view>& words, std::string_view option) {
    const auto found = std::find(words.begin(), words.end(), option);
    return found == words.end() || found + 1 == words.end() ? std::string_view() : found[1];
}

}  // namespace

// The console goes to a file in the folder of the run (box.cpp), which no other QEMU has.
std::optional<RunningGuest> read_command_line(std::string_view command_line) {
    const auto words = base::split(command_line, '\0');
    if (!base::contains(words.front(), "qemu-system-")) return std::nullopt;
    if (!base::contains(value_of(words, "-serial"), "/ringside-box.")) return std::nullopt;
    RunningGuest guest;
    guest.kind = base::split(value_of(words, "-name"), ',').front();
    guest.cpus = value_of(words, "-smp");
    guest.memory_mb = value_of(words, "-m");
    guest.accelerator = value_of(words, "-accel");
    return guest;
}

std::vector<RunningGuest> running_guests(const base::SysRoot& root) {
    std::vector<RunningGuest> guests;
    const auto names = root.list("/proc");
    if (!names) return guests;
    for (const auto& name : *names) {
        const auto pid = base::parse_u64(name);
        if (!pid) continue;
        const auto line = root.read("/proc/" + name + "/cmdline");
        auto guest = line ? read_command_line(*line) : std::nullopt;
        if (!guest) continue;
        guest->pid = static_cast<pid_t>(*pid);
        guests.push_back(std::move(*guest));
    }
    std::sort(guests.begin(), guests.end(),
              [](const auto& a, const auto& b) { return a.pid < b.pid; });
    return guests;
}

}  // namespace ringside::guest
