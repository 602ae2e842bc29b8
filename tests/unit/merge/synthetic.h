// A host with guests that never existed, of which everything is known: when each vCPU ran, what its
// guest sampled meanwhile, and by which clock.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../../scratch.h"
#include "base/byte_writer.h"
#include "merge/host_view.h"
#include "perf/data_features.h"
#include "perf/data_writer.h"
#include "perf/record_encoder.h"

namespace ringside::builders {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t second = 1'000'000'000;

struct GuestClock {
    std::int64_t offset_ns = 0;  // host minus guest at the host's time 0
    double drift_ppm = 0;

    std::uint64_t of_host(std::uint64_t host_ns) const {
        const double since = static_cast<double>(host_ns) / (1 + drift_ppm * 1e-6);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(since) - offset_ns);
    }
};

// Runs of a vCPU that works and sleeps unevenly.
inline std::vector<merge::Span> uneven_runs(std::uint64_t from_ns, std::uint64_t to_ns,
                                            unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<merge::Span> runs;
    std::uint64_t at = from_ns + random() % ms;
    while (true) {
        const std::uint64_t end = at + 20'000 + random() % (2 * ms);
        if (end >= to_ns) return runs;
        runs.push_back({at, end});
        at = end + 5'000 + random() % (random() % 4 == 0 ? 6 * ms : 100'000);
    }
}

// Every `every_ns` of the host's time, if the vCPU runs then.
inline std::vector<std::uint64_t> samples_in(const std::vector<merge::Span>& runs,
                                             std::uint64_t every_ns, const GuestClock& clock) {
    std::vector<std::uint64_t> times;
    std::uint64_t next = 0;
    for (const auto& run : runs) {
        if (next < run.begin_ns) next = run.begin_ns + (run.begin_ns * 7919) % 15'000;
        for (; next <= run.end_ns; next += every_ns) times.push_back(clock.of_host(next));
    }
    return times;
}

// A recording made of samples alone, with all that Ringside's own have.
class Recording {
  public:
    std::size_t event(const std::string& name, std::uint32_t type, std::uint64_t config) {
        perf::WrittenEvent event;
        event.name = name;
        event.attributes.type = type;
        event.attributes.size = sizeof event.attributes;
        event.attributes.config = config;
        event.attributes.sample_type =
            perf::stamp_fields | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
        event.attributes.sample_id_all = 1;
        event.ids = {100 + events_.size()};
        events_.push_back(event);
        return events_.size() - 1;
    }

    void sample(std::size_t event, const perf::RecordStamp& stamp, const std::string& raw = {},
                std::uint16_t misc = PERF_RECORD_MISC_KERNEL,
                std::uint64_t ip = 0xffffffff81000010) {
        base::ByteWriter body;
        body.u64(events_[event].ids[0]).u64(ip).u32(stamp.pid).u32(stamp.tid).u64(stamp.time_ns);
        body.u32(stamp.cpu).u32(0).u64(1);
        const std::size_t filled = (raw.size() + 4 + 7) / 8 * 8 - 4;
        body.u32(static_cast<std::uint32_t>(filled)).raw(raw).zeros(filled - raw.size());
        records_.u32(PERF_RECORD_SAMPLE).u16(misc);
        records_.u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body.bytes());
    }
    base::ByteWriter& records() { return records_; }
    std::uint64_t id(std::size_t event) const { return events_[event].ids[0]; }

    std::string write(const std::string& name, const perf::Context& context = {},
                      const std::string& architecture = "x86_64") const {
        const std::string path = scratch::file(name);
        perf::Context head = context;
        for (const auto& event : events_) head.push_back({"event", event.name});
        auto writer = perf::DataWriter::create(path, events_, head);
        EXPECT_TRUE(writer && writer->append(records_.bytes()));
        perf::FeatureSections features;
        features[static_cast<std::uint32_t>(perf::Feature::architecture)] =
            perf::encode_text(architecture);
        features[static_cast<std::uint32_t>(perf::Feature::event_description)] =
            perf::encode_event_descriptions(events_);
        EXPECT_TRUE(writer->finish(features, {}) && writer->publish());
        return path;
    }

  private:
    std::vector<perf::WrittenEvent> events_;
    base::ByteWriter records_;
};

// A host's recording: kvm_entry and kvm_exit of threads that run as they are told.
class HostRecording {
  public:
    HostRecording() {
        entry_ = recording.event("kvm:kvm_entry", PERF_TYPE_TRACEPOINT, 1000);
        exit_ = recording.event("kvm:kvm_exit", PERF_TYPE_TRACEPOINT, 1001);
    }

    void entry(std::uint64_t time_ns, std::uint32_t pid, std::uint32_t tid, std::uint32_t vcpu) {
        std::string raw(16, '\0');
        raw[8] = static_cast<char>(vcpu);
        recording.sample(entry_, {pid, tid, time_ns, tid % 2, 0}, raw);
    }
    void exit(std::uint64_t time_ns, std::uint32_t pid, std::uint32_t tid) {
        recording.sample(exit_, {pid, tid, time_ns, tid % 2, 0}, std::string(16, '\0'));
    }
    void runs(const std::vector<merge::Span>& spans, std::uint32_t pid, std::uint32_t tid,
              std::uint32_t vcpu) {
        for (const auto& span : spans) {
            entry(span.begin_ns, pid, tid, vcpu);
            exit(span.end_ns, pid, tid);
        }
    }

    Recording recording;

  private:
    std::size_t entry_ = 0;
    std::size_t exit_ = 0;
};

}  // namespace ringside::builders
