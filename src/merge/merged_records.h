// The records of several recordings as they lie in one: guests' records become the host's view of a
// guest, at the host's time. All in memory, then in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <ringside/result.h>

#include "base/byte_writer.h"
#include "merge/clock_map.h"
#include "perf/data_file.h"
#include "perf/data_writer.h"
#include "perf/record_encoder.h"

namespace ringside::merge {

// A guest's recording and what was found out about it.
struct PlacedGuest {
    std::string name;
    const perf::DataFile* file = nullptr;
    std::uint32_t machine_pid = 0;
    ClockMap clock;
    Window host_time;                                  // that its samples cover
    std::map<std::uint32_t, const VcpuThread*> vcpus;  // by the guest's number
};

class MergedRecords {
  public:
    // Samples that the host took inside a guest are left out where the guest recorded itself:
    // that time would count twice.
    Result<void> add_host(const perf::DataFile& file, std::span<const PlacedGuest> guests);
    Result<void> add_guest(const PlacedGuest& guest);
    // Before anything is read from here.
    void sort();

    const std::vector<perf::WrittenEvent>& events() const { return events_; }
    const std::vector<perf::GuestId>& guest_ids() const { return guest_ids_; }
    std::uint64_t first_sample_ns() const { return first_sample_ns_; }
    std::uint64_t last_sample_ns() const { return last_sample_ns_; }
    std::uint64_t host_samples() const { return host_samples_; }
    std::uint64_t guest_samples() const { return guest_samples_; }
    std::uint64_t replaced_samples() const { return replaced_samples_; }
    // Calls `take` with one record after the other.
    template <typename Take>
    Result<void> for_each(const Take& take) const {
        for (const auto& entry : entries_)
            if (auto done = take(bytes_.bytes().subspan(entry.at, entry.size)); !done) return done;
        return {};
    }

  private:
    struct Entry {
        std::uint64_t time_ns = 0;
        std::size_t at = 0;
        std::uint32_t size = 0;
    };

    void number_host(const perf::DataFile& file);
    std::vector<std::size_t> add_guest_events(const PlacedGuest& guest);
    std::uint64_t guest_id(const PlacedGuest& guest, std::size_t event, std::uint32_t cpu);
    void keep(const perf::DataRecord& record, std::vector<std::byte> body, std::uint16_t misc,
              std::uint64_t time_ns);
    void note_time(std::uint64_t time_ns);

    std::vector<perf::WrittenEvent> events_;
    std::vector<perf::GuestId> guest_ids_;
    std::map<std::tuple<std::uint32_t, std::size_t, std::uint32_t>, std::uint64_t> id_by_place_;
    std::uint64_t next_id_ = 1;
    base::ByteWriter bytes_;
    std::vector<Entry> entries_;
    std::uint64_t first_sample_ns_ = ~std::uint64_t{0};
    std::uint64_t last_sample_ns_ = 0;
    std::uint64_t host_samples_ = 0;
    std::uint64_t guest_samples_ = 0;
    std::uint64_t replaced_samples_ = 0;
};

}  // namespace ringside::merge
