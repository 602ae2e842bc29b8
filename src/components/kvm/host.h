// The host's half of the kvm component: what KVM counts for each VM and vCPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"
#include "components/kvm/source.h"
#include "components/kvm/stats_file.h"

namespace ringside::components::kvm {

// What an event of the host says: "host:exits", "4711:vcpu0:halt_wait_hist[3]",
// "4711:tracepoint:kvm_exit".
struct HostEventName {
    int pid = 0;  // 0 for the whole host
    std::optional<int> vcpu;
    bool tracepoint = false;
    std::string_view name;
    unsigned item = 0;  // of a histogram
};
std::optional<HostEventName> parse_host_event(std::string_view name);

// `catalogue` says what this kernel counts; null where it could not be learned, and then units and
// kinds of values are not known. Does not list vCPUs, histograms and tracepoints: see find.
std::vector<Offer> list_host_events(const base::SysRoot& root, const StatsCatalogue* catalogue);

// Any event that can be opened here. Fails with the reason.
Result<Offer> find_host_event(const base::SysRoot& root, const StatsCatalogue* catalogue,
                              std::string_view name);

}  // namespace ringside::components::kvm
