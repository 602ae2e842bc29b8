#include "record/soft_guest.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include "perf/data_writer.h"
#include "perf/record_encoder.h"
#include "record/environment.h"
#include "record/kernel.h"
#include "record/kernel_symbols.h"
#include "symbols/build_id.h"

namespace ringside::record {

namespace {

using perf::Feature;

constexpr std::uint64_t cpu_switch_id = std::uint64_t{1} << 62;  // the kernel never gets here
constexpr std::uint64_t domain_switch_id = cpu_switch_id + 1;

perf::WrittenEvent guest_event(const char* name, std::uint64_t id, std::uint64_t period) {
    perf::WrittenEvent event;
    event.name = name;
    event.ids = {id};
    perf_event_attr& attr = event.attributes;
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_BPF_OUTPUT;  // what perf has for samples that others make
    attr.sample_period = period;
    attr.sample_type = perf::made_sample_type;
    attr.sample_id_all = 1;
    attr.mmap = attr.mmap2 = 1;
    attr.comm = attr.comm_exec = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return event;
}

// Samples in the order of their time, and before each what it takes to name its place.
class GuestRecords {
  public:
    GuestRecords(const GuestRecording& recording, const soft::GuestProfile& profile, Tally& tally,
                 base::ByteWriter& out)
        : recording_(recording), profile_(profile), tally_(tally), out_(out) {}

    void add(const soft_guest_sample& sample) {
        const bool known = sample.pid != SOFT_NO_PROCESS;
        if (known) name_task(sample);
        if (known && sample.map != SOFT_NO_MAP) map_code(sample);
        if (sample.kind == SOFT_SAMPLE_INSTRUCTIONS) {
            add_sample(sample, cpu_switch_id, sample.amount);
            add_sample(sample, domain_switch_id, sample.amount);
        } else {
            const double worth =
                static_cast<double>(sample.amount) * recording_.instructions_per_ns;
            add_sample(sample, domain_switch_id, static_cast<std::uint64_t>(worth));
        }
        const bool first = tally_.samples++ == 0;
        if (first) tally_.first_sample_ns = sample.time_ns;
        tally_.last_sample_ns = sample.time_ns;
    }

  private:
    // A process that gets another name executes another program, as far as that can be seen.
    void name_task(const soft_guest_sample& sample) {
        std::string& name = names_[sample.tid];
        // All CPUs share the number of their idle threads, "swapper/0" and so on.
        const std::string_view now = sample.tid == 0 ? "swapper" : sample.comm;
        if (name == now) return;
        name = now;
        if (sample.tid == sample.pid) {
            perf::encode_exec(out_, sample.pid, sample.time_ns, name);
            mapped_[sample.pid].clear();
        } else {
            perf::encode_comm(out_, sample.pid, sample.tid, name, sample.time_ns);
        }
    }

    void map_code(const soft_guest_sample& sample) {
        if (!mapped_[sample.pid].insert(sample.map).second) return;
        const soft_map& from = profile_.maps[sample.map];
        const std::string here = recording_.file_here(from.path);
        perf::MapRecord map;
        map.pid = map.tid = sample.pid;
        map.time_ns = sample.time_ns;
        map.start = from.start;
        map.size = from.end - from.start;
        map.file_offset = from.file_offset;
        map.protection = PROT_READ | PROT_EXEC;
        map.flags = MAP_PRIVATE;
        // A file that is not here must not be taken for another one of that name.
        map.file = here.empty() ? fmt::format("[guest]{}", from.path) : here;
        if (!here.empty()) map.build_id = build_id_of(here);
        perf::encode_process_map(out_, map);
    }

    const std::string& build_id_of(const std::string& file) {
        const auto [place, is_new] = build_ids_.try_emplace(file);
        if (is_new) place->second = symbols::read_build_id(file);
        return place->second;
    }

    void add_sample(const soft_guest_sample& sample, std::uint64_t id, std::uint64_t period) {
        perf::SampleRecord record;
        record.in_kernel = sample.ip >> 63 != 0;
        const auto mode = record.in_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
        const std::uint64_t chain[] = {static_cast<std::uint64_t>(mode), sample.ip};
        record.stamp = {sample.pid, sample.tid, sample.time_ns, sample.vcpu, id};
        record.period = period;
        record.chain = chain;
        perf::encode_sample(out_, record);
    }

    const GuestRecording& recording_;
    const soft::GuestProfile& profile_;
    Tally& tally_;
    base::ByteWriter& out_;
    std::map<std::uint32_t, std::string> names_;               // by thread
    std::map<std::uint32_t, std::set<std::uint32_t>> mapped_;  // by process
    std::map<std::string, std::string> build_ids_;             // by file
};

perf::FeatureSections features_of(const GuestRecording& recording, const KernelImage& kernel,
                                  const std::vector<perf::WrittenEvent>& events,
                                  const Tally& tally) {
    perf::FeatureSections features;
    const auto put = [&](Feature feature, std::vector<std::byte> bytes) {
        features[static_cast<std::uint32_t>(feature)] = std::move(bytes);
    };
    put(Feature::architecture, perf::encode_text(recording.architecture));
    put(Feature::version, perf::encode_text(recording.version));
    put(Feature::command_line, perf::encode_texts(recording.command_line));
    put(Feature::event_description, perf::encode_event_descriptions(events));
    if (const auto ids = build_ids_of(kernel); !ids.empty()) {
        put(Feature::build_id, perf::encode_build_ids(ids));
    }
    put(Feature::sample_time, perf::encode_words({tally.first_sample_ns, tally.last_sample_ns}));
    put(Feature::clock_id, perf::encode_words({1}));
    return features;
}

perf::Context first_context(const base::SysRoot& guest, const GuestRecording& recording) {
    perf::Context context = environment_of(guest);
    context.push_back({"recorder", recording.version});
    const std::pair<std::string, std::string> units[] = {
        {cpu_switch_event, "instructions of the guest (soft)"},
        {domain_switch_event, recording.domain_unit}};
    for (const auto& [event, unit] : units) {
        context.push_back({"event", event});
        context.push_back({"unit." + event, unit});
    }
    context.push_back(
        {"instructions_per_ns", fmt::format("{:.4f}", recording.instructions_per_ns)});
    for (const auto& note : recording.notes) context.push_back({"note", note});
    return context;
}

}  // namespace

Result<Summary> write_guest_recording(const base::SysRoot& guest, const GuestRecording& recording,
                                      soft::GuestProfile profile) {
    const std::vector<perf::WrittenEvent> events{
        guest_event(cpu_switch_event, cpu_switch_id, recording.period),
        guest_event(domain_switch_event, domain_switch_id, recording.period)};
    auto writer = perf::DataWriter::create(recording.file, events, first_context(guest, recording));
    if (!writer) return writer.error();
    Summary summary;
    Tally& tally = summary.progress.tally;
    base::ByteWriter out;
    const KernelImage kernel = read_kernel_image(guest);
    describe_kernel(kernel, false, out);
    std::stable_sort(profile.samples.begin(), profile.samples.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    GuestRecords records(recording, profile, tally, out);
    for (const auto& sample : profile.samples) records.add(sample);
    tally.lost = profile.lost_samples;
    for (const auto id : {cpu_switch_id, domain_switch_id}) {
        if (tally.lost == 0) break;
        perf::encode_lost_samples(out, tally.lost, {0, 0, tally.last_sample_ns, 0, id});
    }
    if (auto done = writer->append(out.bytes()); !done) return done.error();
    perf::Context rest{{"samples", std::to_string(tally.samples)},
                       {"lost", std::to_string(tally.lost)}};
    if (auto symbols = compressed_kallsyms(guest, "")) {
        rest.push_back({"kallsyms.zst", std::move(*symbols)});
    }
    const auto done = writer->finish(features_of(recording, kernel, events, tally), rest);
    if (!done) return done.error();
    if (auto published = writer->publish(); !published) return published.error();
    tally.file_bytes = writer->file_bytes();
    summary.progress.elapsed_ns = tally.last_sample_ns - tally.first_sample_ns;
    summary.events = {{cpu_switch_event, tally.lost}, {domain_switch_event, tally.lost}};
    return summary;
}

}  // namespace ringside::record
