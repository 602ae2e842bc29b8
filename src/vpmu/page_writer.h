// The hypervisor's part of the shared page, written for every policy.
#pragma once

#include "vpmu/page_index.h"
#include "vpmu/vm.h"

namespace ringside::vpmu {

// Shows what readers need: which counters run, from where, and what they count. Where the guest has
// counters of its own (every policy but paravirtual) sum and start are both the counter's value, so
// that sum + (counter - start) is the counter. Nothing without a page.
void publish(Vcpu& vcpu, bool running, std::uint64_t now_ns);

}  // namespace ringside::vpmu
