#include "lab/pmu_port.h"

namespace ringside::lab {

namespace {

using Kind = vpmu::RegisterKind;

struct Name {
    Kind kind;
    const char* intel;
    const char* amd;
    const char* arm;
};

constexpr Name names[] = {
    {Kind::counter, "PMC", "PERF_CTR", "PMEVCNTR/PMCCNTR"},
    {Kind::counter_read, "RDPMC", "RDPMC", "-"},
    {Kind::selector, "PERFEVTSEL", "PERF_CTL", "PMEVTYPER/PMCCFILTR"},
    {Kind::control, "FIXED_CTR_CTRL", "-", "PMCR"},
    {Kind::enable, "GLOBAL_CTRL", "GLOBAL_CTL", "-"},
    {Kind::status, "GLOBAL_STATUS", "GLOBAL_STATUS", "-"},
    {Kind::status_clear, "GLOBAL_STATUS_RESET", "GLOBAL_STATUS_CLR", "-"},
    {Kind::enable_set, "-", "-", "PMCNTENSET"},
    {Kind::enable_clear, "-", "-", "PMCNTENCLR"},
    {Kind::interrupt_set, "-", "-", "PMINTENSET"},
    {Kind::interrupt_clear, "-", "-", "PMINTENCLR"},
    {Kind::overflow_clear, "-", "-", "PMOVSCLR"},
    {Kind::user_enable, "-", "-", "PMUSERENR"},
};

}  // namespace

const char* to_text(KernelWork work) {
    constexpr const char* texts[kernel_works] = {"boot",      "probe",      "open",    "enable",
                                                 "switch in", "start",      "read",    "interrupt",
                                                 "rotate",    "switch out", "disable", "end"};
    return texts[static_cast<unsigned>(work)];
}

const char* register_name(vpmu::Architecture architecture, Kind kind) {
    for (const Name& name : names) {
        if (name.kind != kind) continue;
        if (architecture == vpmu::Architecture::intel) return name.intel;
        return architecture == vpmu::Architecture::amd ? name.amd : name.arm;
    }
    return "-";
}

}  // namespace ringside::lab
