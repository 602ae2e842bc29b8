// Runs a command in a test VM: boots it, carries output, status and files, powers it off.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/hypervisor.h"
#include "guest/kinds.h"
#include "guest/packages.h"
#include "guest/retrieve.h"
#include "guest/soft_pmu.h"

namespace ringside::guest {

struct BoxRequest {
    std::string kind;
    // Run as root, found on the PATH of the box, with empty standard input.
    std::vector<std::string> command;
    std::vector<std::string> environment;  // "NAME=value"
    std::vector<Transfer> put;             // files and directories, before the command runs
    std::vector<Transfer> get;             // after it ended, however it ended
    // That may come back, from each machine. Beyond it the box is killed: it may be the program's
    // doing, and our disk.
    std::uint64_t most_file_bytes = std::uint64_t{1} << 30;
    std::chrono::seconds timeout{300};  // in which it could run, boot included: see ServedTime

    std::optional<std::string> cpu;  // instead of the kind's own
    std::optional<int> icount;       // virtual time by instructions, 2^icount ns each
    bool no_icount = false;
    std::optional<int> smp;
    // A network interface of this model (data/guest/nics.csv), with a source of zeros at
    // 10.0.2.100:9 and nothing else behind it. Its address is for the command to set. With `inner`
    // it is the inner guest's.
    std::optional<std::string> nic;
    // An interface to the network of this machine, set up: the command can reach what we can.
    bool network = false;

    std::optional<Forward> forward;    // through either, in
    std::vector<std::string> modules;  // of its kernel, loaded besides the kind's

    std::optional<int> memory_mb;
    // The command sees files of this machine at their places, read-only below a layer in memory
    // that takes all writing and is gone with the box: those of shared_files.h, and `shared`. For
    // `get` that tree lies at /host. Kinds of this machine's architecture with the modules 9p and
    // overlay only.
    bool share_root = false;
    std::vector<std::string> shared;
    std::string directory;  // with share_root: where the command runs; else in /root

    // The command has our standard input and output as its terminal. We are in its way: no other
    // thread should use them meanwhile.
    bool terminal = false;

    // In a kind that runs on our hypervisor: how it shall share the PMU.
    HypervisorWish hypervisor;

    // In a kind with a soft PMU: what counts, and what.
    SoftPmuWish soft_pmu;

    // In a kind with an inner guest: the command runs there, and put and get are about it.
    bool inner = false;
    std::optional<int> inner_smp;
    bool inner_pin = false;  // all its CPUs share CPU 0 of the box
    // Runs on the box while the command runs in the inner guest. It is started first; the inner
    // guest boots when it has created /run/ringside/ready or ended, and it is sent SIGTERM when the
    // inner guest is gone. /run/ringside/inner.status has a line "command" once the command runs
    // there and "exit N" once it has ended.
    std::vector<std::string> beside;
    std::vector<Transfer> host_put;
    std::vector<Transfer> host_get;

    // Where to look for a `ringside` to put into the box: directories of builds. This program
    // itself comes last. Without one for the box's architecture the box has none.
    std::vector<std::string> builds;

    int stdout_fd = 1;   // the command's output, as it comes
    int stderr_fd = 2;   // also both outputs of `beside`, a "host: " before each line
    int cancel_fd = -1;  // readable: stop at once; the error is `interrupted`
    Progress progress = [](std::string_view) {};
    // Called, from this thread, when the command runs, with QEMU's process, and when it has ended.
    std::function<void(pid_t)> started = [](pid_t) {};
    std::function<void()> ended = [] {};
    // Keep a copy of the kernel's console here.
    std::string console_file;
};

struct BoxOutcome {
    int exit_code = 0;  // as a shell gives it: 127 no such command, 128 + N signal N
    std::optional<int> beside_exit_code;
    std::string accelerator;  // "kvm" or "tcg"
    bool has_ringside = false;
    std::vector<std::string> missing;  // paths of `get` and `host_get` that were not there
};

// What to do where a box lacks a program of ours because it is of another architecture.
inline constexpr std::string_view how_to_build_for_boxes =
    "in the source tree, run scripts/install-packages arm64 && scripts/build arm64 ringside "
    "hyp_images, and name build/arm64 with --with-build";

// Downloads and builds all that boxes of this kind need.
Result<void> prepare_box(std::string_view kind, const Progress& progress);

// Safe to call from several threads and processes at once. Leaves no process and no temporary file,
// however it returns.
Result<BoxOutcome> run_box(const BoxRequest& request);

}  // namespace ringside::guest
