#include "perf/steal_readings.h"

#include <algorithm>

#include "base/text.h"

namespace ringside::perf {

void StealReadings::take(const DataFile& file, const DataRecord& record) {
    if (record.type != PERF_RECORD_READ || file.events().empty()) return;
    const std::size_t event = file.event_of(record);
    const auto who = decode_record_id(record.body, file.events()[event].layout, file.order());
    FieldCursor cursor(record.body, file.order());
    cursor.skip(2 * sizeof(std::uint32_t));  // process and thread
    const std::uint64_t value = cursor.u64();
    if (who && cursor.ok()) readings_.push_back({event, {who->time_ns, who->cpu, value}});
}

std::vector<StealReading> StealReadings::of_steal(const DataFile& file) && {
    const auto text = find_item(file.context(), "steal_event");
    const auto event = text ? base::parse_u64(*text) : std::nullopt;
    if (!event || find_item(file.context(), "steal_source") == "none") return {};
    std::vector<StealReading> steal;
    for (const auto& reading : readings_)
        if (reading.event == *event) steal.push_back(reading.what);
    std::stable_sort(steal.begin(), steal.end(), [](const StealReading& a, const StealReading& b) {
        return a.time_ns < b.time_ns;
    });
    return steal;
}

}  // namespace ringside::perf
