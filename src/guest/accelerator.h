// Whether this machine's /dev/kvm can boot a stock kernel. A device that opens proves nothing: some
// machines have a paravirtual backend that runs small guests and no Linux. So one is booted.
#pragma once

#include <string>

#include <ringside/result.h>

#include "guest/image.h"

namespace ringside::guest {

struct Accelerator {
    std::string name;    // "kvm" or "tcg"
    std::string reason;  // why, for people
};

// The verdict on KVM is found once for each boot of this machine and kernel of the box.
Result<Accelerator> choose_accelerator(const fs::path& cache, const Kind& kind, const Image& image,
                                       int cancel_fd);

}  // namespace ringside::guest
