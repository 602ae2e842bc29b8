#include "merge/guest_view.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "merge/samples.h"

namespace ringside::merge {

namespace {

// Sums that the recorder wrote at the end: nothing was executed at their time.
bool is_sum(const std::string& event) {
    return event == "stolen" || event.starts_with("off-cpu");
}

struct Readings {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
};

// Readings of /proc/stat lie between the samples, as PERF_RECORD_READ of the event that the context
// names.
Result<std::map<std::uint32_t, Readings>> read_steal(const perf::DataFile& file) {
    std::map<std::uint32_t, Readings> steal;
    const auto text = perf::find_item(file.context(), "steal_event");
    const auto event = text ? base::parse_u64(*text) : std::nullopt;
    if (!event || *event >= file.events().size()) return steal;
    if (perf::find_item(file.context(), "steal_source") == "none") return steal;
    std::vector<std::byte> buffer;
    const auto each = [&](const perf::DataRecord& record) {
        if (record.type != PERF_RECORD_READ || file.event_of(record) != *event) return;
        const auto who =
            perf::decode_record_id(record.body, file.events()[*event].layout, file.order());
        perf::FieldCursor cursor(record.body, file.order());
        cursor.skip(2 * sizeof(std::uint32_t));
        const std::uint64_t value = cursor.u64();
        if (!who || !cursor.ok()) return;
        auto& readings = steal[who->cpu];
        readings.first = std::min(readings.first, value);
        readings.last = std::max(readings.last, value);
    };
    for (const auto& piece : file.pieces())
        if (auto done = file.read(piece, buffer, each); !done) return done.error();
    return steal;
}

}  // namespace

std::size_t GuestView::samples() const {
    std::size_t sum = 0;
    for (const auto& cpu : cpus) sum += cpu.times_ns.size();
    return sum;
}

Result<GuestView> read_guest(const perf::DataFile& file, const std::string& path) {
    if (auto fits = check_samples(file, path); !fits) return fits.error();
    std::map<std::uint32_t, std::vector<std::uint64_t>> times;
    auto done = for_samples(file, [&](std::size_t event, const perf::FullSample& sample) {
        if (!is_sum(file.events()[event].name)) times[sample.cpu].push_back(sample.time_ns);
    });
    if (!done) return done.error();
    if (times.empty())
        return base::fail(ErrorCode::bad_input, path + " has no samples to merge",
                          "record in the guest while the host records: ringside record -a");
    const auto steal = read_steal(file);
    if (!steal) return steal.error();
    GuestView view;
    view.first_ns = std::numeric_limits<std::uint64_t>::max();
    for (auto& [cpu, list] : times) {
        std::sort(list.begin(), list.end());
        view.first_ns = std::min(view.first_ns, list.front());
        view.last_ns = std::max(view.last_ns, list.back());
        GuestCpu& entry = view.cpus.emplace_back();
        entry.cpu = cpu;
        entry.times_ns = std::move(list);
        if (const auto found = steal->find(cpu); found != steal->end())
            entry.stolen_ns = found->second.last - found->second.first;
    }
    return view;
}

}  // namespace ringside::merge
