// The running kernel as a recording describes it: where its code and its modules lie, and their
// build-ids.
#pragma once

#include <string>
#include <vector>

#include "base/byte_writer.h"
#include "base/sys_root.h"
#include "perf/data_header.h"

namespace ringside::record {

struct KernelModule {
    std::string file;  // "/lib/modules/6.1.0/kernel/net/ipv6.ko", or "[ipv6]" if none is known
    std::string name;
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string build_id;  // hexadecimal
};

struct KernelImage {
    std::uint64_t start = 0;  // of its code; 0: addresses are hidden from us
    std::uint64_t size = 0;
    std::string build_id;  // hexadecimal
    std::vector<KernelModule> modules;
};

KernelImage read_kernel_image(const base::SysRoot& root);

// As records at the beginning of a recording. With `guests`, also the place that stands for the
// kernels of all guests, which are known by their samples only.
void describe_kernel(const KernelImage& kernel, bool guests, base::ByteWriter& out);

// For the file's own list: the kernel and its modules.
std::vector<perf::DataBuildId> build_ids_of(const KernelImage& kernel);

}  // namespace ringside::record
