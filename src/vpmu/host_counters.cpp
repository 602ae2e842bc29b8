#include "vpmu/host_counters.h"

namespace ringside::vpmu {

std::uint64_t preset(unsigned hardware_bits, std::uint64_t distance) {
    if (distance > low_bits(hardware_bits)) return 0;
    return (0 - distance) & low_bits(hardware_bits);
}

namespace {

std::uint64_t fixed_selector(const Event& event) {
    return (event.user ? x86::fixed_user : 0) | (event.kernel ? x86::fixed_kernel : 0) |
           x86::fixed_interrupt;
}

std::uint64_t x86_selector(const Event& event) {
    return (std::uint64_t{event.select} & x86::select_event) |
           (std::uint64_t{event.select} << 24 & x86::amd_select_event_high) |
           std::uint64_t{event.umask} << 8 | (event.user ? x86::select_user : 0) |
           (event.kernel ? x86::select_kernel : 0) | x86::select_interrupt | x86::select_enable;
}

std::uint64_t arm_selector(const Event& event) {
    return event.select | (event.user ? 0 : arm::type_not_user) |
           (event.kernel ? 0 : arm::type_not_kernel);
}

}  // namespace

std::uint64_t host_selector(const PmuModel& model, const HostEventRequest& request, Slot slot) {
    const bool fixed = model.architecture == Architecture::intel && model.is_fixed(slot);
    if (fixed) return fixed_selector(request.event);
    const std::uint64_t selector =
        model.is_arm() ? arm_selector(request.event) : x86_selector(request.event);
    return gated(model, selector, request.in_guest, request.in_host);
}

}  // namespace ringside::vpmu
