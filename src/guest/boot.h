// Runs one machine from power-on to power-off.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/kernel_port.h"
#include "guest/machine.h"
#include "guest/relay.h"
#include "guest/rights.h"

namespace ringside::guest {

// What to do with the bytes of a port, and how many there may be.
struct PortUse {
    std::string name;
    Sink sink;
    std::uint64_t most_bytes = any_number;
};

struct BootRequest {
    MachineSpec spec;                   // ports and console are filled in by boot()
    std::vector<PortUse> ports;         // "status" is boot's own
    KernelPort* kernel_port = nullptr;  // where it says what its kernel is like, if it shall
    std::uint64_t most_file_bytes = any_number;         // of its ports' limits, for the error
    fs::path directory;                                 // where logs go; must exist
    std::function<void(pid_t)> started = [](pid_t) {};  // called when the command runs
    std::function<void()> ended = [] {};                // and when it has ended
    std::chrono::milliseconds limit{0};
    int cancel_fd = -1;
    std::vector<int> kept_fds;  // that QEMU inherits, besides those that the machine is lent
    Rights rights;
};

// What the init scripts reported: of the machine itself and, below it, of an inner guest.
struct Report {
    std::string phase;                      // the last word, empty while the kernel boots
    std::optional<int> exit_code;           // the command's
    std::optional<int> beside_exit_code;    // the beside command's
    std::string lacking;                    // of what its kind promises; then it goes no further
    void take_line(std::string_view line);  // "init", "command", "exit 3", ...
};

struct BootEnd {
    Report outer;
    Report inner;
};

// The last lines of every log below a run's directory, for people.
std::string last_log_lines(const fs::path& directory);

// Fails when the machine hung, died or was stopped; the error says in what phase and carries the
// last lines of the consoles. A command that failed is not a failure here.
Result<BootEnd> boot(BootRequest request);

}  // namespace ringside::guest
