// The guest's half of the kvm component: what a guest of KVM can see of its host's doings.
#pragma once

#include <string>
#include <vector>

#include "base/sys_root.h"
#include "components/kvm/source.h"
#include "platform/machine.h"

namespace ringside::components::kvm {

// Those that this guest shows; none where it is not a guest of KVM.
std::vector<Offer> list_guest_events(const base::SysRoot& root, const platform::Machine& machine);

// "clock source kvm-clock; steal is reported; ..."
std::string describe_guest(const platform::Machine& machine);

// The sum over the CPUs in the row of /proc/interrupts that begins with `name` and a colon.
std::optional<std::uint64_t> sum_interrupts(std::string_view text, std::string_view name);

}  // namespace ringside::components::kvm
