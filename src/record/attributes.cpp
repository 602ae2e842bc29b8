#include "record/attributes.h"

#include <cerrno>

#include <time.h>

#include "perf/record_encoder.h"
#include "perf/registers.h"

namespace ringside::record {

namespace {

void add_call_graph(perf_event_attr& attr, const Settings& settings) {
    if (settings.call_graph == CallGraph::none) return;
    attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (settings.call_graph == CallGraph::dwarf) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = perf::unwound_registers;
        attr.sample_stack_user = settings.stack_bytes;
        attr.exclude_callchain_user = 1;
    }
    if (settings.call_graph == CallGraph::lbr) {
        attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                                  PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
        attr.exclude_callchain_user = 1;
    }
}

// What all events of a recording have in common.
void add_common(perf_event_attr& attr, const Settings& settings) {
    attr.size = sizeof attr;
    attr.disabled = 1;
    attr.inherit = settings.inherit;
    attr.enable_on_exec = settings.start_on_exec;
    attr.sample_id_all = 1;
    // One clock for samples, for what BPF sees, and for whoever lays two recordings side by side.
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
}

}  // namespace

std::string_view to_string(CallGraph kind) {
    switch (kind) {
        case CallGraph::none:
            return "none";
        case CallGraph::frame_pointers:
            return "fp";
        case CallGraph::dwarf:
            return "dwarf";
        case CallGraph::lbr:
            return "lbr";
    }
    return "none";
}

perf_event_attr sampling_attributes(const model::Event& event, const Settings& settings) {
    perf_event_attr attr = perf::attributes_of(event);
    add_common(attr, settings);
    attr.sample_type = perf::stamp_fields | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
    attr.read_format = PERF_FORMAT_LOST;
    if (event.kind == model::EventKind::tracepoint) attr.sample_type |= PERF_SAMPLE_RAW;
    const bool every_one = event.kind == model::EventKind::tracepoint && settings.period == 0;
    attr.freq = settings.period == 0 && !every_one;
    if (attr.freq != 0)
        attr.sample_freq = settings.frequency_hz;
    else
        attr.sample_period = every_one ? 1 : settings.period;
    // Software events cannot tell and keep guest samples in any case.
    const bool hardware =
        event.code.type != PERF_TYPE_SOFTWARE && event.code.type != PERF_TYPE_TRACEPOINT;
    if (hardware && !settings.guest && attr.exclude_host == 0) attr.exclude_guest = 1;
    add_call_graph(attr, settings);
    return attr;
}

perf_event_attr tracking_attributes(const Settings& settings) {
    perf_event_attr attr{};
    add_common(attr, settings);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_period = 1;
    attr.sample_type = perf::stamp_fields | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
    attr.exclude_kernel = attr.exclude_hv = 1;  // needs no rights; what it reports does not change
    attr.mmap = attr.mmap2 = 1;
    attr.comm = attr.comm_exec = 1;
    attr.task = 1;
    attr.build_id = 1;
    attr.ksymbol = attr.bpf_event = 1;
    return attr;
}

bool make_modest(perf_event_attr& attr, int sys_errno, bool modes_named, std::string& loss) {
    const bool refused = sys_errno == EACCES || sys_errno == EPERM;
    if (refused && attr.exclude_kernel == 0 && attr.exclude_user == 0 && !modes_named) {
        attr.exclude_kernel = attr.exclude_hv = 1;
        loss =
            "user mode only: the kernel may not be sampled with these rights "
            "(kernel.perf_event_paranoid, CAP_PERFMON)";
    } else if (attr.read_format != 0) {  // from 6.0
        attr.read_format = 0;
    } else if (attr.build_id != 0) {  // from 5.12
        attr.build_id = 0;
    } else if (attr.bpf_event != 0) {  // from 5.1
        attr.bpf_event = attr.ksymbol = 0;
    } else if (attr.exclude_guest != 0) {  // PMUs that do not know guests
        attr.exclude_guest = 0;
    } else {
        return false;
    }
    return true;
}

}  // namespace ringside::record
