// A box whose Linux runs on our own hypervisor (hyp/): where things lie in its memory, and the
// manifest that tells the hypervisor so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/files.h"
#include "guest/kinds.h"

namespace ringside::guest {

// A file that QEMU's loader puts into memory before the machine starts.
struct LoadedFile {
    std::string path;
    std::uint64_t address = 0;
};

struct HypervisorWish {
    std::string policy;                    // empty for the hypervisor's own choice
    bool direct = false;                   // the PMU's registers in the guest's hands
    std::vector<std::string> host_events;  // as the manifest has them: "0x11 pinned"
    std::vector<std::string> neighbours;   // bare-metal guests, by the names of their images
    bool traps_devices = false;            // the hypervisor makes every access to a PCI device
    std::uint64_t device_work = 0;         // and spends so many instructions on each
};

struct HypervisorPlan {
    std::string image;  // the ELF file that is booted
    std::string manifest;
    std::vector<LoadedFile> files;
};

// The hypervisor in the first of `builds` that has one.
std::optional<fs::path> find_hypervisor(const std::vector<std::string>& builds);

// How `kernel` and `initrd` of a box of this kind, and its neighbours, run on `hypervisor`. Fails
// where a file is missing or does not fit the machine's memory.
Result<HypervisorPlan> plan_hypervisor(const Kind& kind, const fs::path& hypervisor,
                                       const HypervisorWish& wish, const fs::path& kernel,
                                       const fs::path& initrd);

}  // namespace ringside::guest
