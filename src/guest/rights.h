// What the QEMU of a box may do on this machine: as little as its box needs. A guest that breaks
// out of it has these rights, and so has one that asks it for files. docs/guest.md says which they
// are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/confinement.h"
#include "base/fd.h"
#include "guest/files.h"
#include "guest/machine.h"

namespace ringside::guest {

inline constexpr const char* kvm_device = "/dev/kvm";

struct RightsWish {
    std::string kvm{};            // the device, where it is used
    bool reads_own_maps = false;  // the soft PMU's plugin does, for a profile
    // The guest is lent the files of this machine: these, each with all below it.
    std::optional<std::vector<fs::path>> shared;
};

class Rights {
  public:
    Rights() = default;
    // `qemu` becomes the path of the program. Fails where files could not be kept from a guest that
    // is to see only some.
    static Result<Rights> make(std::string& qemu, const RightsWish& wish);

    // The name by which QEMU can read the file, wherever it lies. A copy of what only we may read
    // is made in `directory`.
    Result<std::string> lend(const fs::path& file, const fs::path& directory);
    // The name of a folder of ours in which QEMU can make files.
    Result<std::string> lend_folder(const fs::path& folder);

    base::Confinement confinement() const;
    // What QEMU has to inherit.
    std::vector<int> fds() const;

  private:
    Result<void> allow_files_of_qemu(const std::string& qemu, const std::string& kvm) const;

    std::optional<base::LesserUser> user_;
    std::optional<base::FileRules> rules_;
    bool reads_own_maps_ = false;
    std::vector<base::Fd> lent_;
};

}  // namespace ringside::guest
