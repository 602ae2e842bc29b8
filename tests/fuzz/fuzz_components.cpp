// What components read from the outside: KVM's binary statistics, rtnetlink's answers, the names of
// events and the texts of /proc they come from.
#include <cstdint>

#include "components/kvm/guest.h"
#include "components/kvm/host.h"
#include "components/kvm/stats_file.h"
#include "components/net/links.h"
#include "components/net/net.h"
#include "components/net/net_counters.h"
#include "fuzz_input.h"

using namespace ringside::components;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    if (const auto layout = kvm::parse_stats_layout(bytes)) {
        for (const auto& stat : layout->stats) {
            RINGSIDE_ASSERT(!stat.name.empty() && stat.items > 0);
            RINGSIDE_ASSERT(layout->find(stat.name) != nullptr);
        }
    }
    if (const auto reply = net::parse_stats_reply(bytes, 0)) RINGSIDE_ASSERT(reply->error >= 0);
    const auto text = ringside::fuzz::as_text(data, size);
    static_cast<void>(kvm::sum_interrupts(text, "HYP"));
    if (const auto event = kvm::parse_host_event(text)) {
        RINGSIDE_ASSERT(event->name.find('/') == std::string_view::npos);
    }
    if (const auto event = net::parse_event_name(text)) RINGSIDE_ASSERT(!event->interface.empty());
    for (const auto& name : net::parse_interface_names(text)) {
        RINGSIDE_ASSERT(!name.empty() && name.find(':') == std::string::npos);
    }
    return 0;
}
