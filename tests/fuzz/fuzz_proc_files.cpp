// The texts of /proc that src/platform reads: cpuinfo, environ, lockdown.
#include "fuzz_input.h"
#include "platform/container_signs.h"
#include "platform/cpu_model.h"
#include "platform/permissions.h"
#include "platform/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::platform;
    const auto text = ringside::fuzz::as_text(data, size);
    const auto cpu = parse_cpuinfo(text);
    RINGSIDE_ASSERT(cpu.name.value || !cpu.name.evidence.text.empty());
    (void)cpu.has_flag("hypervisor");
    (void)parse_container_variable(text);
    (void)parse_lockdown(text);
    RINGSIDE_ASSERT(printable(shown(text)));
    return 0;
}
