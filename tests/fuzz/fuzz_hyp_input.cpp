// The hypervisor reads a manifest and a device tree: any bytes give something that keeps to its
// bounds, or a refusal.
#include <vector>

#include "fuzz_input.h"
#include "hyp/core/fdt.h"
#include "hyp/core/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::hyp;
    constexpr Range ram{0x40000000, 0x50000000};
    constexpr Range reserved{0x40000000, 0x41000000};
    Manifest manifest;
    if (!parse_manifest(ringside::fuzz::as_text(data, size), ram, reserved, manifest)) {
        for (unsigned i = 0; i < manifest.guest_count; ++i) {
            RINGSIDE_ASSERT(ram.contains(manifest.guests[i].memory));
            RINGSIDE_ASSERT(!reserved.overlaps(manifest.guests[i].memory));
            for (unsigned j = 0; j < manifest.guests[i].window_count; ++j) {
                RINGSIDE_ASSERT(!ram.overlaps(manifest.guests[i].windows[j].range));
            }
        }
    }
    (void)find_memory({data, size});
    std::vector<std::uint8_t> out(size + 64);
    const GuestTree tree{ram, {}, "quiet", "mediated"};
    RINGSIDE_ASSERT(write_guest_tree({data, size}, tree, out) <= out.size());
    return 0;
}
