// A recording of CPUID, through everything that decodes leaves.
#include "fuzz_input.h"
#include "platform/cpuid.h"
#include "platform/event_sources.h"
#include "platform/hypervisor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::platform;
    const auto cpuid = Cpuid::from_text(ringside::fuzz::as_text(data, size));
    for (const auto& signature : hypervisor_signatures(cpuid)) {
        RINGSIDE_ASSERT(!signature.text.empty() && signature.text.size() <= 12);
    }
    const ringside::base::SysRoot nowhere("/nonexistent");
    const auto pmu = read_event_sources(nowhere, cpuid).advertised;
    RINGSIDE_ASSERT(!pmu.kind.evidence.source.empty());
    const auto hypervisor = read_hypervisor(nowhere, cpuid, {});
    RINGSIDE_ASSERT(hypervisor.virtualized.value.has_value() == cpuid.readable());
    return 0;
}
