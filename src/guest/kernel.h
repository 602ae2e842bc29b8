// The kernel among a kind's packages, as a machine boots it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "guest/packages.h"

namespace ringside::guest {

// Debian's "6.1.0-50-amd64", of the packages' kernel.
Result<std::string> kernel_release(const PackageSet& packages);

// An x86 kernel is packed, and the first it does is to unpack itself, which takes an emulated
// machine longer than all the rest of its boot. QEMU can also enter the kernel inside, if that was
// built for it (CONFIG_PVH): so it is unpacked once, into the cache. Any other boots as it is.
//
// Where the kernel lies that a machine boots, or will lie when provide_kernel() was there.
Result<fs::path> place_kernel(const fs::path& cache, const PackageSet& packages);
Result<void> provide_kernel(const fs::path& place, const PackageSet& packages,
                            const Progress& progress);

// The kernel in an image of x86's boot protocol, and the program that unpacks it. None: not such an
// image, or packed in another way.
struct PackedKernel {
    const char* unpacker;
    std::string_view bytes;  // of the image
};
std::optional<PackedKernel> packed_kernel(std::string_view image);

}  // namespace ringside::guest
