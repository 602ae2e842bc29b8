#include "profile/live.h"

#include <fmt/format.h>

#include "perf/records.h"
#include "proc/task.h"

namespace ringside::profile {

namespace {

constexpr std::size_t ring_pages = 64;
constexpr std::uint64_t reread_after_ns = 1'000'000'000;

Module module_of(const std::string& path, std::uint32_t pid) {
    Module module;
    module.path = path;
    module.pid = pid;
    if (path.empty() || path.starts_with("//anon") || path.starts_with("/memfd:") ||
        path.starts_with("[anon")) {
        module.kind = Module::Kind::generated;
        module.path = fmt::format("{}{}.map", jit_map_prefix, pid);
    }
    return module;
}

}  // namespace

LiveProfile::LiveProfile(const LiveOptions& options, base::SysRoot root)
    : options_(options), root_(std::move(root)) {
    load_options_.keep = options.keep;
    load_options_.filter = options.filter;
    profile_.world->name_thread(0, 0, 0, "swapper", false);
    known_threads_.insert(0);
    known_processes_.emplace(0, 0);
    begin_interval();
}

Result<void> LiveProfile::add(const std::vector<perf::Target>& targets) {
    perf::OpenOptions open;
    open.sample_period = options_.period;
    open.sample_type =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    auto streams = perf::open_sample_streams(options_.event, targets, open, ring_pages);
    if (!streams) return streams.error();
    for (auto& stream : *streams) {
        if (auto done = stream.event.enable(); !done) return done.error();
        streams_.push_back(std::move(stream));
    }
    return {};
}

void LiveProfile::begin_interval() {
    profile_.groups.clear();
    profile_.timeline.clear();
    EventTotals totals;
    totals.name = options_.event.name;
    profile_.events = {totals};
    collector_ = std::make_unique<Collector>(profile_, load_options_);
}

void LiveProfile::collect() {
    for (auto& stream : streams_) {
        const perf::SampleLayout layout(stream.event.attributes());
        while (const auto record = stream.ring.next()) take(*record, layout);
    }
}

void LiveProfile::take(const perf::RecordView& record, const perf::SampleLayout& layout) {
    if (record.type == PERF_RECORD_LOST)
        profile_.events[0].lost += perf::decode_lost(record).value_or(0);
    if (record.type != PERF_RECORD_SAMPLE) return;
    const auto sample =
        perf::decode_full_sample(record.body, record.misc, layout, perf::ByteOrder::same);
    if (!sample) return;
    const auto known = known_processes_.find(sample->pid);
    const bool stale = known != known_processes_.end() && !is_mapped(*sample) &&
                       sample->time_ns - known->second > reread_after_ns;
    if (known == known_processes_.end() || stale || !known_threads_.contains(sample->tid))
        know(sample->pid, sample->tid, sample->time_ns);
    collector_->count(0, *sample, sample->time_ns);
    collector_->settle();
}

bool LiveProfile::is_mapped(const perf::FullSample& sample) const {
    if (sample.mode != perf::CpuMode::user) return true;
    const ImageId image = profile_.world->image_of(sample.pid, sample.time_ns);
    return profile_.world->image(image).find(sample.ip, sample.time_ns).mapping.has_value();
}

void LiveProfile::know(std::uint32_t pid, std::uint32_t tid, std::uint64_t time_ns) {
    World& world = *profile_.world;
    const auto comm = proc::read_name(root_, static_cast<pid_t>(tid));
    const std::string name = comm ? *comm : fmt::format(":{}", tid);
    known_threads_.insert(tid);
    const auto known = known_processes_.find(pid);
    if (known != known_processes_.end() && time_ns - known->second <= reread_after_ns) {
        world.name_thread(pid, tid, time_ns, name, false);
        return;
    }
    known_processes_[pid] = time_ns;
    // As after an exec: nothing of what was mapped before counts any more.
    world.name_thread(pid, tid, time_ns, name, true);
    for (const auto& mapping : proc::read_maps(root_, static_cast<pid_t>(pid)).value_or({})) {
        if (!mapping.executable) continue;
        const Mapping where{mapping.start, mapping.end, mapping.file_offset, {}};
        world.map(pid, time_ns, where, module_of(mapping.path, pid), perf::CpuMode::user);
    }
}

}  // namespace ringside::profile
