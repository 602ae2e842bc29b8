// Devices that a guest reaches only through us: its access traps, and is made here. What this costs
// is the guest's under domain_switch, and nobody's under cpu_switch.
#include "hyp/arch/device.h"
#include "hyp/arch/sysreg.h"
#include "hyp/arch/trap.h"
#include "hyp/core/hypervisor.h"
#include "hyp/core/inject.h"
#include "vpmu/bits.h"

namespace ringside::hyp {

// False if the address is in no window.
bool Hypervisor::forward(Guest& guest, std::uint64_t address, std::uint64_t esr) {
    unsigned index = 0;
    const GuestSpec& spec = guest.spec;
    while (index < spec.window_count && !spec.windows[index].range.contains(address)) ++index;
    if (index == spec.window_count) return false;
    const MemoryAccess access = decode_memory_access(esr);
    const std::uint64_t virtual_address = HYP_READ(far_el2);  // until a fault of our own
    if (!access.is_decoded || access.from_table_walk) {
        // A pair, a vector, an address that is written back: nothing a device's driver does.
        guest.stop("undecoded", address);
        return true;
    }
    ++guest.exits.forwarded;
    ++(access.is_write ? guest.windows[index].stores : guest.windows[index].loads);
    spend(spec.windows[index].work);
    Frame& frame = guest.frame;
    std::uint64_t value = frame.get(access.rt);
    const bool answered = access.is_write ? store_to_device(address, access.bytes, value)
                                          : load_from_device(address, access.bytes, &value);
    if (!answered) {
        inject_external_abort(frame, virtual_address, access.is_write);
        return true;
    }
    if (!access.is_write) frame.set(access.rt, loaded_value(access, value));
    count_as_executed(guest);
    frame.pc += instruction_bytes;
    return true;
}

// An instruction that trapped is not retired, and ours is not the guest's.
void Hypervisor::count_as_executed(Guest& guest) {
    if (guest.vcpu.active == 0) return;
    const auto privilege = guest.frame.is_user() ? vpmu::Privilege::user : vpmu::Privilege::kernel;
    cpu_.count_emulated(guest.vcpu, {.select = vpmu::arm::event_instructions}, privilege, 1);
}

}  // namespace ringside::hyp
