// Whether this machine can really be a host: that /dev/kvm exists proves nothing, a machine made
// with it does. Everything made is gone when the probe returns; no guest code runs.
#pragma once

#include "platform/kvm_host.h"
#include "trust/report.h"

namespace ringside::trust {

KvmReport probe_kvm(const platform::KvmHost& read);

}  // namespace ringside::trust
