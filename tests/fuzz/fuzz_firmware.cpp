// ACPI table headers and device-tree properties.
#include "fuzz_input.h"
#include "platform/hypervisor_signs.h"
#include "platform/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::platform;
    const auto bytes = ringside::fuzz::as_text(data, size);
    const auto id = parse_acpi_oem_id(bytes);
    RINGSIDE_ASSERT(!id || (!id->empty() && id->size() <= 6 && printable(*id)));
    for (const auto& text : parse_device_tree_strings(bytes)) {
        RINGSIDE_ASSERT(!text.empty() && text.find('\0') == std::string::npos);
    }
    return 0;
}
