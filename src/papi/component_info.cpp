#include "papi/component_info.h"

#include <csignal>

#include "papi/text.h"
#include "trust/ladder.h"

namespace ringside::papi {

namespace {

// A set may hold so many events when the kernel takes turns; what it costs is memory for values.
constexpr int most_multiplexed = 384;

constexpr int cpu_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR;

// The PMUs whose names begin native events.
char perf_pmu_name[] = "perf";
char raw_pmu_name[] = "perf_raw";

void describe_cpu(PAPI_component_info_t& info) {
    info.num_cntrs = static_cast<int>(trust::Ladder::climb().size());
    info.num_mpx_cntrs = most_multiplexed;
    info.fast_counter_read = info.num_cntrs > 0;
    info.pmu_names[0] = perf_pmu_name;
    info.pmu_names[1] = raw_pmu_name;
}

}  // namespace

void start_component_info(PAPI_component_info_t& info, std::string_view name,
                          std::string_view prefix, std::string_view description, int index) {
    copy_text(info.name, name);
    copy_text(info.short_name, prefix);
    copy_text(info.description, description);
    copy_text(info.version, "ringside");
    info.CmpIdx = index;
    const bool cpu = index == 0;
    info.default_domain = cpu ? PAPI_DOM_USER : PAPI_DOM_ALL;
    info.available_domains = cpu ? cpu_domains : PAPI_DOM_ALL;
    info.default_granularity = PAPI_GRN_THR;
    info.available_granularities =
        cpu ? PAPI_GRN_THR | PAPI_GRN_SYS | PAPI_GRN_SYS_CPU : PAPI_GRN_THR | PAPI_GRN_PROC;
    info.hardware_intr_sig = cpu ? SIGRTMIN : 0;
    info.hardware_intr = cpu;
    info.kernel_multiplex = cpu;
    info.attach = cpu;
    // Not for our sake: programs written for PAPI stop a target that waits for them, and go on.
    info.attach_must_ptrace = cpu;
    info.cpu = cpu;
    info.inherit = cpu;
    info.posix1b_timers = 1;
    info.fast_real_timer = 1;
}

void complete_component_info(PAPI_component_info_t& info, const session::Component&, int disabled,
                             std::string_view reason, std::size_t events) {
    info.disabled = disabled;
    copy_text(info.disabled_reason, disabled == PAPI_OK ? "" : reason);
#if RINGSIDE_PAPI_ABI >= 703
    info.partially_disabled = disabled == PAPI_OK && !reason.empty();
    copy_text(info.partially_disabled_reason, info.partially_disabled != 0 ? reason : "");
#endif
    info.initialized = disabled == PAPI_OK;
    info.num_native_events = static_cast<int>(events);
    info.num_cntrs = info.num_mpx_cntrs = static_cast<int>(events);
    if (info.CmpIdx == 0 && disabled == PAPI_OK) describe_cpu(info);
}

}  // namespace ringside::papi
