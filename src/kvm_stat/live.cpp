#include "kvm_stat/live.h"

#include <numeric>
#include <unordered_set>

#include "base/clock.h"
#include "kvm_stat/events.h"
#include "kvm_stat/time_order.h"
#include "perf/records.h"
#include "proc/cpus.h"
#include "proc/task.h"
#include "record/buffers.h"

namespace ringside::kvm_stat {

namespace {

// A record takes its time stamp before it becomes readable: what is this young may still be missing
// in the buffer of another CPU.
constexpr std::uint64_t settling_ns = 20'000'000;

using base::now_ns;

class RingExits final : public LiveExits {
  public:
    RingExits(const base::SysRoot& root, const std::vector<perf::TracepointFormat>& formats)
        : root_(root),
          decoder_(formats),
          order_([this](const Passage& passage) { account_.take(passage); }) {}

    Result<void> prepare(const record::Settings& settings) {
        const auto cpus = proc::online_cpus(root_);
        if (!cpus) return cpus.error();
        auto buffers = record::Buffers::open(settings, *cpus, warnings_);
        if (!buffers) return buffers.error();
        buffers_ = std::move(*buffers);
        const auto& events = buffers_.events();
        layout_ = perf::SampleLayout(events.front().attributes);
        for (const auto& event : events)
            for (const auto id : event.ids) configs_[id] = event.attributes.config;
        if (buffers_.of_all_processes())
            for (const auto& target : settings.targets)
                only_.insert(static_cast<std::uint32_t>(
                    proc::process_of(root_, target.pid).value_or(target.pid)));
        begun_ns_ = now_ns();
        return {};
    }

    Result<void> begin() override {
        begun_ns_ = now_ns();
        return buffers_.enable_sampling();
    }

    void collect() override {
        const std::uint64_t now = now_ns();
        for (auto& buffer : buffers_.rings())
            while (const auto record = buffer.ring.next()) take(*record);
        order_.hand_on_before(now - settling_ns);
    }

    void end() override {
        buffers_.disable();
        collect();
        order_.hand_on_all();
        // What was lost last, the kernel has counted but found no room to tell.
        const auto counted = buffers_.lost();
        const auto all = std::accumulate(counted.begin(), counted.end(), std::uint64_t{0});
        if (all > lost_ever_) lost_ += all - lost_ever_;
    }

    Measurement measurement() const override {
        Measurement result;
        result.vcpus = account_.stats();
        result.names = names_;
        result.passages = passages_;
        result.lost = lost_;
        result.duration_ns = now_ns() - begun_ns_;
        result.warnings = warnings_;
        return result;
    }

    Measurement interval() override {
        Measurement result = measurement();
        account_.begin_interval();
        passages_ = lost_ = 0;
        begun_ns_ = now_ns();
        return result;
    }

  private:
    void take(const perf::RecordView& record) {
        if (const auto lost = perf::decode_lost(record)) {
            lost_ += *lost;
            lost_ever_ += *lost;
        }
        if (record.type != PERF_RECORD_SAMPLE) return;
        const auto sample =
            perf::decode_full_sample(record.body, record.misc, layout_, perf::ByteOrder::same);
        if (!sample || (!only_.empty() && !only_.contains(sample->pid))) return;
        const auto config = configs_.find(sample->id);
        if (config == configs_.end()) return;
        const auto passage = decoder_.decode(config->second, *sample, perf::ByteOrder::same);
        if (!passage) return;
        // While it is still there to be asked.
        if (known_.insert(passage->tid).second) {
            learn(passage->pid);
            learn(passage->tid);
        }
        ++passages_;
        order_.add(*passage);
    }

    void learn(std::uint32_t tid) {
        if (auto name = proc::read_name(root_, static_cast<pid_t>(tid)))
            names_[tid] = std::move(*name);
    }

    base::SysRoot root_;
    PassageDecoder decoder_;
    Account account_;
    TimeOrder order_;
    record::Buffers buffers_;
    perf::SampleLayout layout_;
    std::unordered_map<std::uint64_t, std::uint64_t> configs_;  // of tracepoints, by event id
    std::unordered_set<std::uint32_t> only_;                    // empty: everybody
    std::unordered_set<std::uint32_t> known_;
    std::map<std::uint32_t, std::string> names_;
    std::vector<std::string> warnings_;
    std::uint64_t passages_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t lost_ever_ = 0;
    std::uint64_t begun_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<LiveExits>> LiveExits::open(const base::SysRoot& root,
                                                   record::Settings settings) {
    auto events = passage_events(root);
    if (!events) return events.error();
    const auto formats = passage_formats(root);
    if (!formats) return formats.error();
    settings.events = std::move(*events);
    auto exits = std::make_unique<RingExits>(root, *formats);
    if (auto done = exits->prepare(settings); !done) return done.error();
    return std::unique_ptr<LiveExits>(std::move(exits));
}

}  // namespace ringside::kvm_stat
