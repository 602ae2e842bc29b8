#include "components/net/statistics.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::components::net {

namespace {

constexpr std::array<LinkCounter, 24> counters{{
    {"rx_packets", &LinkStats::rx_packets},
    {"tx_packets", &LinkStats::tx_packets},
    {"rx_bytes", &LinkStats::rx_bytes},
    {"tx_bytes", &LinkStats::tx_bytes},
    {"rx_errors", &LinkStats::rx_errors},
    {"tx_errors", &LinkStats::tx_errors},
    {"rx_dropped", &LinkStats::rx_dropped},
    {"tx_dropped", &LinkStats::tx_dropped},
    {"multicast", &LinkStats::multicast},
    {"collisions", &LinkStats::collisions},
    {"rx_length_errors", &LinkStats::rx_length_errors},
    {"rx_over_errors", &LinkStats::rx_over_errors},
    {"rx_crc_errors", &LinkStats::rx_crc_errors},
    {"rx_frame_errors", &LinkStats::rx_frame_errors},
    {"rx_fifo_errors", &LinkStats::rx_fifo_errors},
    {"rx_missed_errors", &LinkStats::rx_missed_errors},
    {"tx_aborted_errors", &LinkStats::tx_aborted_errors},
    {"tx_carrier_errors", &LinkStats::tx_carrier_errors},
    {"tx_fifo_errors", &LinkStats::tx_fifo_errors},
    {"tx_heartbeat_errors", &LinkStats::tx_heartbeat_errors},
    {"tx_window_errors", &LinkStats::tx_window_errors},
    {"rx_compressed", &LinkStats::rx_compressed},
    {"tx_compressed", &LinkStats::tx_compressed},
    {"rx_nohandler", &LinkStats::rx_nohandler},
}};

__u64 LinkStats::*find_member(std::string_view name) {
    const auto found = std::find_if(counters.begin(), counters.end(),
                                    [&](const auto& counter) { return counter.name == name; });
    RINGSIDE_ASSERT(found != counters.end());
    return found->member;
}

std::vector<Statistic> read_table() {
    const auto text = base::embedded_file("net/statistics.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<Statistic> table;
    for (const auto& row : base::parse_csv(*text)) {
        RINGSIDE_ASSERT(row.size() == 4);
        if (row[0] == "name") continue;
        Statistic statistic{row[0], {}, row[2], row[3]};
        for (const auto name : base::split(row[1], '+')) {
            statistic.summed.push_back(find_member(name));
        }
        table.push_back(std::move(statistic));
    }
    return table;
}

}  // namespace

std::span<const LinkCounter> link_counters() {
    return counters;
}

std::uint64_t Statistic::value(const LinkStats& stats) const {
    std::uint64_t sum = 0;
    for (const auto member : summed) sum += stats.*member;
    return sum;
}

const std::vector<Statistic>& statistics() {
    static const std::vector<Statistic> table = read_table();
    return table;
}

const Statistic* find_statistic(std::string_view name) {
    const auto& table = statistics();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const auto& statistic) { return statistic.name == name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace ringside::components::net
