// Who may share a host: a machine whose policy hides it from the host cannot start beside a host
// event that would count it, nor the other way round. KVM answers -EBUSY and -EOPNOTSUPP.
#pragma once

#include "vpmu/host_events.h"
#include "vpmu/policy.h"

namespace ringside::vpmu {

// One for the whole host; the caller serializes.
class Admission {
  public:
    [[nodiscard]] bool admit_machine(Policy policy) {
        if (host_sees_guest(policy)) return true;
        if (watching_events_ != 0) return false;
        ++hidden_machines_;
        return true;
    }
    void machine_gone(Policy policy) {
        if (!host_sees_guest(policy)) --hidden_machines_;
    }
    [[nodiscard]] bool admit_event(const HostEventRequest& request) {
        if (!request.in_guest) return true;
        if (hidden_machines_ != 0) return false;
        ++watching_events_;
        return true;
    }
    void event_gone(const HostEventRequest& request) {
        if (request.in_guest) --watching_events_;
    }

  private:
    unsigned hidden_machines_ = 0;
    unsigned watching_events_ = 0;
};

}  // namespace ringside::vpmu
