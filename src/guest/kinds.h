// The kinds of machine there are: testbed/kinds.conf, read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::guest {

// A port of this machine, on its loopback interface, that leads to one of the guest.
struct Forward {
    int here = 0;
    int there = 0;
};

struct Kind {
    std::string name;
    std::string about;
    std::string arch;  // Debian's name: amd64, arm64
    std::string qemu;  // the program
    std::string machine;
    std::string cpu;
    int smp = 1;
    int memory_mb = 1024;
    std::string console;
    std::vector<std::string> kernel_packages;
    std::vector<std::string> tool_packages;
    std::vector<std::string> programs;
    std::vector<std::string> vmm_packages;
    std::vector<std::string> vmm_programs;
    std::vector<std::string> vmm_files;
    std::vector<std::string> modules;
    std::string append;
    std::optional<int> icount;       // the shift: 2^shift ns of virtual time an instruction
    std::string nic;                 // the model of its network interface; none in any kind itself
    bool network = false;            // behind that interface is the network of this machine
    std::optional<Forward> forward;  // through that interface
    bool on_hypervisor = false;      // Linux runs on hyp/, which a build must have
    bool soft_pmu = false;           // the soft PMU counts what it executes, and its kernel sees it
    std::string inner;               // the kind of the guest it can boot, or empty

    // Its kernel shares a page with Ringside, for which there is the driver.
    bool has_page() const { return soft_pmu || on_hypervisor; }
    bool is_deterministic() const { return icount.has_value(); }
};

// Gives the kind a network interface of QEMU's `model`, with the module that drives it. Fails with
// the models there are (data/guest/nics.csv).
Result<void> add_nic(Kind& kind, std::string_view model);

class KindTable {
  public:
    // Bad lines are named by number.
    static Result<KindTable> parse(std::string_view text);
    // The table compiled in.
    static const KindTable& built_in();

    const Kind* find(std::string_view name) const;
    // Those a person can boot: all but the guests inside others, in the order of the file.
    std::vector<const Kind*> bootable() const;

  private:
    std::vector<Kind> kinds_;
};

}  // namespace ringside::guest
