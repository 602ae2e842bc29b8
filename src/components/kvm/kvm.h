// KVM from both sides. In a guest: steal, asynchronous page faults, halt polling, the clocks. On a
// host: what KVM counts for all VMs, for those of a process, and for one vCPU, and KVM's
// tracepoints.
//
//   guest:async_page_faults   guest:halt_poll_time   ...
//   host:exits   4711:exits   4711:vcpu0:halt_exits   4711:vcpu0:halt_wait_hist[3]
//   host:tracepoint:kvm_exit  4711:tracepoint:kvm_exit
//
// where 4711 is the process that runs the VM.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::kvm {

session::ComponentPtr make(const base::SysRoot& root);

}  // namespace ringside::components::kvm
