// Where vectors.S calls C++: from a frame to the guest it is part of.
#include "hyp/arch/sysreg.h"
#include "hyp/core/hypervisor.h"
#include "hyp/core/power.h"
#include "hyp/platform/console.h"

namespace ringside::hyp {

namespace {

Guest& guest_of(Frame* frame) {
    return *reinterpret_cast<Guest*>(frame);  // its first member
}

}  // namespace

extern "C" Frame* handle_sync(Frame* frame) {
    return guest_of(frame).hypervisor.on_sync(guest_of(frame));
}

extern "C" Frame* handle_irq(Frame* frame) {
    return guest_of(frame).hypervisor.on_interrupt(guest_of(frame));
}

extern "C" Frame* handle_serror(Frame* frame) {
    return guest_of(frame).hypervisor.on_serror(guest_of(frame));
}

// A fault of EL2 itself, which must not happen.
extern "C" [[noreturn]] void handle_own_fault() {
    print_line("hyp: broken esr=", Hex{HYP_READ(esr_el2)}, " pc=", Hex{HYP_READ(elr_el2)},
               " address=", Hex{HYP_READ(far_el2)});
    print_line("hyp: end reason=broken");
    power_off();
}

}  // namespace ringside::hyp
