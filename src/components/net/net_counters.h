// The counting half of the net component.
#pragma once

#include <span>

#include "base/sys_root.h"
#include "components/net/links.h"
#include "session/component.h"

namespace ringside::components::net {

// What an event's name says: "eth0:rx:bytes", "eth0:driver:rx_queue_0_packets". The kernel forbids
// colons in names of interfaces.
struct EventName {
    std::string_view interface;
    std::string_view statistic;  // "rx:bytes", or what the driver calls it
    bool of_driver = false;
};
std::optional<EventName> parse_event_name(std::string_view name);

// Fails when an interface or a statistic is not there, in the reader's namespace.
Result<session::CountersPtr> open_counters(const base::SysRoot& root, LinkReaderPtr reader,
                                           std::span<const session::ComponentEvent> events,
                                           std::optional<bool> virtualized);

}  // namespace ringside::components::net
