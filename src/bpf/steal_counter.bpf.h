/* Where a CPU's stolen time is counted, for BPF programs: included by those that read it. */
#ifndef RINGSIDE_BPF_STEAL_COUNTER_H
#define RINGSIDE_BPF_STEAL_COUNTER_H

#include "bpf/steal_layout.h"

const volatile struct steal_places from_run_queue = {};

static __u64 read_word(__u64 address) {
    __u64 value = 0;
    bpf_probe_read_kernel(&value, sizeof value, (const void*)address);
    return value;
}

/* The address of a CPU's counter, 0 if there is none. A host that lends its counter has written to
 * it when it was registered: KVM the version behind the sum, on Arm the kernel has mapped it. */
static __u64 find_steal_counter(__u64 run_queue, __u32* source) {
    __u64 kvm = from_run_queue.kvm ? run_queue + from_run_queue.kvm : 0;
    __u64 arm = from_run_queue.arm_pv ? read_word(run_queue + from_run_queue.arm_pv) : 0;
    if (kvm && (__u32)read_word(kvm + 8) != 0) {
        *source = STEAL_SOURCE_KVM;
        return kvm;
    }
    if (arm) {
        *source = STEAL_SOURCE_ARM_PV;
        return arm + 8;
    }
    if (from_run_queue.accounted) {
        *source = STEAL_SOURCE_ACCOUNTED;
        return run_queue + from_run_queue.accounted;
    }
    return 0;
}

#endif
