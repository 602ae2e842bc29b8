// The kernel module of driver/, compiled for the kernel of a box.
#pragma once

#include <optional>
#include <string>

#include <ringside/result.h>

#include "guest/packages.h"

namespace ringside::guest {

inline constexpr const char* driver_file = "ringside_pmu.ko";

// The module's bytes, if it was compiled before.
std::optional<std::string> find_driver(const fs::path& cache, const std::string& kernel_release);
// Fetches the kernel's headers and compiles, unless that was done before.
Result<std::string> provide_driver(const fs::path& cache, const std::string& arch,
                                   const std::string& kernel_release, const Progress& progress);

}  // namespace ringside::guest
