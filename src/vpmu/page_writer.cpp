#include "vpmu/page_writer.h"

namespace ringside::vpmu {

void publish(Vcpu& vcpu, bool running, std::uint64_t now_ns) {
    if (vcpu.page == nullptr) return;
    const PageUpdate update(vcpu.page->sequence);
    const PmuModel& model = vcpu.model();
    const bool logical = is_logical(vcpu.vm->policy);
    vcpu.page->active = running ? page_mask(model, vcpu.active) : 0;
    vcpu.page->resumed_ns = now_ns;
    for_each_slot(logical ? vcpu.logical.control.slots : model.slots(), [&](Slot slot) {
        const unsigned index = page_index(model, slot);
        if (index >= VPMU_PAGE_COUNTERS) return;
        vpmu_page_counter& counter = vcpu.page->counter[index];
        const Event event = event_of(model, vcpu.guest, slot);
        counter.raw = vcpu.guest.counter[slot];
        counter.sum = logical ? vcpu.logical.sum[slot] : counter.raw;
        counter.start = logical ? vcpu.logical.start[slot] : counter.raw;
        counter.event = std::uint32_t{event.select} << 8 | event.umask;
        counter.width_bits = model.is_fixed(slot) ? model.fixed_width_bits : model.width_bits;
    });
}

}  // namespace ringside::vpmu
