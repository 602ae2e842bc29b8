// What a guest's kernel says of itself, made ready for the plugin, which finds tasks by it. Pure.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

#include "abi/soft_profile.h"

namespace ringside::soft {

// From the kernel's /proc/kallsyms, /sys/kernel/btf/vmlinux and, on arm64, /proc/iomem. Fails with
// what is missing, and on a kernel that was loaded at an address of its own choice.
Result<soft_kernel> read_kernel_facts(std::string_view kallsyms, std::string btf,
                                      std::string_view iomem);

}  // namespace ringside::soft
