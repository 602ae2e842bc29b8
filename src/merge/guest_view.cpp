#include "merge/guest_view.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "merge/samples.h"
#include "perf/steal_readings.h"

namespace ringside::merge {

namespace {

// Sums that the recorder wrote at the end: nothing was executed at their time.
bool is_sum(const std::string& event) {
    return event == "stolen" || event.starts_with("off-cpu");
}

Result<std::vector<perf::StealReading>> read_steal(const perf::DataFile& file) {
    perf::StealReadings readings;
    std::vector<std::byte> buffer;
    for (const auto& piece : file.pieces()) {
        auto done = file.read(piece, buffer,
                              [&](const perf::DataRecord& record) { readings.take(file, record); });
        if (!done) return done.error();
    }
    return std::move(readings).of_steal(file);
}

std::optional<std::uint64_t> stolen_from(const std::vector<perf::StealReading>& readings,
                                         std::uint32_t cpu) {
    std::optional<std::uint64_t> first;
    std::uint64_t last = 0;
    for (const auto& reading : readings) {
        if (reading.cpu != cpu) continue;
        if (!first) first = reading.stolen_ns;
        last = std::max(*first, reading.stolen_ns);
    }
    if (!first) return std::nullopt;
    return last - *first;
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
        entry.stolen_ns = stolen_from(*steal, cpu);
    }
    return view;
}

}  // namespace ringside::merge
