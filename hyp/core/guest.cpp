#include "hyp/core/guest.h"

#include "hyp/platform/console.h"
#include "hyp/platform/virt.h"

namespace ringside::hyp {

namespace {

constexpr std::uint64_t kernel_mode_masked = 0x3c5;  // EL1 with its own stack, all masked

vpmu::Vm vm_of(const GuestSpec& spec, const vpmu::PmuModel& pmu) {
    vpmu::Vm vm;
    vm.policy = spec.policy;
    vm.model = pmu;
    vm.consents = spec.consents;
    vm.direct = spec.direct;
    vm.emulates_chain = !spec.direct;
    if (vm.emulates_chain) vm.model.event_ids |= vpmu::bit(0x1e);
    const FilterSpec& filter = spec.filter;
    if (filter.count == 0) return vm;
    if (filter.action == vpmu::Filter::Action::deny) {
        (void)vm.filter.deny(filter.entries, filter.count);
    } else {
        (void)vm.filter.allow(filter.entries, filter.count);
    }
    return vm;
}

}  // namespace

Guest::Guest(Hypervisor& owner, const GuestSpec& what, unsigned number, const vpmu::PmuModel& pmu,
             TablePool& pool)
    : hypervisor(owner),
      spec(what),
      vmid(number + 1),
      memory(pool),
      gic(what.devices),
      vm(vm_of(what, pmu)),
      vcpu(vm, number + 1) {
    frame.pc = what.entry;
    frame.pstate = kernel_mode_masked;
    frame.x[0] = what.device_tree;
}

void* Guest::reach(std::uint64_t address, std::uint64_t bytes) const {
    const Range wanted = range_of(address, bytes);
    const Range seen = spec.guest_memory();
    if (wanted.is_empty() || !seen.contains(wanted)) return nullptr;
    return reinterpret_cast<void*>(spec.memory.begin + (address - seen.begin));
}

bool Guest::map_memory() {
    const Range ram = spec.guest_memory();
    if (!memory.map(ram.begin, spec.memory.begin, ram.bytes(), MemoryKind::normal)) return false;
    if (!spec.devices) return true;
    // All devices but the interrupt controller, which is emulated, and what is forwarded.
    Range holes[2 + max_windows] = {
        range_of(platform::distributor, platform::distributor_bytes),
        range_of(platform::redistributor, platform::redistributor_bytes)};
    for (unsigned i = 0; i < spec.window_count; ++i) holes[2 + i] = spec.windows[i].range;
    return memory.map_devices({0, platform::ram_base}, holes);
}

void ConsoleLine::put(std::string_view guest, char c) {
    if (c == '\r') return;
    if (c != '\n') text_[length_++] = c;
    if (c == '\n' || length_ == sizeof text_) flush(guest);
}

void ConsoleLine::flush(std::string_view guest) {
    if (length_ != 0) print_line("[", guest, "] ", std::string_view(text_, length_));
    length_ = 0;
}

}  // namespace ringside::hyp
