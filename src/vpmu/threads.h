// The paravirtual policy, guest kernel's half: a thread's count is sum + (Phys* - start). Called
// with preemption off. Phys* is taken after the hypercall, so that its cost is not charged.
#pragma once

#include "vpmu/page_reader.h"

namespace ringside::vpmu {

// `phys(index)` reads this CPU's counter. A reading that never settles leaves the counter alone.
template <typename Phys>
void thread_out(vpmu_page_vcpu& vcpu, vpmu_page_thread& thread, std::uint64_t counters, Phys phys) {
    const PageUpdate update(thread.sequence);
    for_each_slot(counters & low_bits(VPMU_PAGE_COUNTERS), [&](unsigned index) {
        std::uint64_t now = 0;
        if (!read_vcpu_count(vcpu, index, phys, now)) return;
        thread.counter[index].sum += now - thread.counter[index].start;
        thread.counter[index].start = now;
    });
    thread.vcpu = VPMU_PAGE_NO_THREAD;
}

template <typename Phys>
void thread_in(vpmu_page_vcpu& vcpu, std::uint32_t vcpu_index, vpmu_page_thread& thread,
               std::uint64_t counters, Phys phys) {
    const PageUpdate update(thread.sequence);
    for_each_slot(counters & low_bits(VPMU_PAGE_COUNTERS), [&](unsigned index) {
        std::uint64_t now = 0;
        if (read_vcpu_count(vcpu, index, phys, now)) thread.counter[index].start = now;
    });
    thread.vcpu = vcpu_index;
}

}  // namespace ringside::vpmu
