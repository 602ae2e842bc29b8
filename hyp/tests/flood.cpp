// Interrupts itself and calls the hypervisor as fast as it can, forever.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    enable_interrupt(0);
    set_interrupts(true);
    for (std::uint64_t call = 0;; ++call) {
        HYP_WRITE(S3_0_C12_C11_5, 1);  // ICC_SGI1R_EL1: interrupt 0, to itself
        (void)hypercall(call);         // most of these do not exist
        (void)hypercall(HYPERCALL_PMU_PAGE, call * 64);
        (void)hypercall(HYPERCALL_PMU_CONFIGURE, ~call & ~std::uint64_t{7});
    }
}

}  // namespace ringside::guest_test
