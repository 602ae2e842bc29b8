#include "record/soft.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <time.h>

#include "base/file_io.h"
#include "base/text.h"
#include "perf/data_writer.h"
#include "perf/record_encoder.h"
#include "proc/maps.h"
#include "record/environment.h"
#include "record/processes.h"
#include "soft/count_file.h"
#include "soft/run.h"
#include "symbols/build_id.h"

namespace ringside::record {

namespace {

namespace fs = std::filesystem;
using perf::Feature;
using soft::CountFile;

constexpr std::uint64_t event_id = std::uint64_t{1} << 62;  // the kernel never gets here

perf::WrittenEvent soft_event(const SoftRecording& recording) {
    perf::WrittenEvent event;
    event.name = recording.event;
    event.ids = {event_id};
    perf_event_attr& attr = event.attributes;
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_BPF_OUTPUT;  // what perf has for samples that others make
    attr.sample_period = recording.period;
    attr.sample_type = perf::made_sample_type;
    attr.exclude_kernel = attr.exclude_hv = 1;
    attr.sample_id_all = 1;
    attr.mmap = attr.mmap2 = 1;
    attr.comm = attr.comm_exec = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return event;
}

// QEMU maps the guest's files as data, since it does not execute them itself; its own code, which
// no sample can lie in, is mapped as code.
bool is_guest_code(const proc::Mapping& mapping) {
    return mapping.readable && !mapping.writable && !mapping.executable &&
           mapping.path.starts_with('/');
}

std::string name_of(const CountFile& file) {
    return fs::path(file.program()).filename().string().substr(0, 15);
}

void describe_image(const base::SysRoot& root, const CountFile& file, const std::string& path,
                    base::ByteWriter& out) {
    const soft_extension& extension = file.extension();
    perf::encode_exec(out, extension.pid, extension.began_ns, name_of(file));
    const auto maps = root.read(fs::path(path).replace_extension(SOFT_MAPS_SUFFIX).string());
    if (!maps) return;
    std::vector<std::string_view> lines = base::split_lines(*maps);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    for (const auto line : lines) {
        const auto mapping = proc::parse_mapping(line);
        if (!mapping || !is_guest_code(*mapping)) continue;
        auto map = code_record(extension.pid, *mapping);
        map.start -= extension.guest_base;
        map.time_ns = extension.began_ns;
        map.build_id = symbols::read_build_id(map.file);
        perf::encode_process_map(out, map);
    }
}

// A thread is called as its process when it begins; whether it calls itself otherwise is not known.
void name_threads(const CountFile& file, const std::vector<vpmu_page_sample>& samples,
                  base::ByteWriter& out) {
    const soft_extension& extension = file.extension();
    std::set<std::uint32_t> named{extension.pid};
    for (const auto& sample : samples) {
        if (!named.insert(sample.thread).second) continue;
        perf::encode_comm(out, extension.pid, sample.thread, name_of(file), extension.began_ns);
    }
}

void add_samples(const CountFile& file, const std::vector<vpmu_page_sample>& samples,
                 base::ByteWriter& out, Tally& tally) {
    for (const auto& sample : samples) {
        const std::uint64_t chain[] = {static_cast<std::uint64_t>(PERF_CONTEXT_USER), sample.ip};
        perf::SampleRecord record;
        record.stamp = {file.extension().pid, sample.thread, sample.time_ns, 0, event_id};
        record.period = file.extension().period;
        record.chain = chain;
        perf::encode_sample(out, record);
        const bool first = tally.samples++ == 0;
        tally.first_sample_ns =
            first ? sample.time_ns : std::min(tally.first_sample_ns, sample.time_ns);
        tally.last_sample_ns = std::max(tally.last_sample_ns, sample.time_ns);
    }
}

// Files that hold nothing sound are left out, as read_run() counts them.
Result<void> add_file(const base::SysRoot& root, const std::string& path, perf::DataWriter& writer,
                      Tally& tally) {
    const auto file = CountFile::read(path);
    if (!file) return {};
    const auto samples = file->samples();
    if (!samples) return {};
    base::ByteWriter out;
    describe_image(root, *file, path, out);
    name_threads(*file, *samples, out);
    add_samples(*file, *samples, out, tally);
    if (const auto lost = file->lost_samples(); lost > 0) {
        tally.lost += lost;
        perf::encode_lost_samples(
            out, lost,
            {file->extension().pid, file->extension().pid, tally.last_sample_ns, 0, event_id});
    }
    return writer.append(out.bytes());
}

perf::FeatureSections features_of(const base::SysRoot& root, const SoftRecording& recording,
                                  const std::vector<perf::WrittenEvent>& events,
                                  const Tally& tally) {
    perf::FeatureSections features;
    add_machine(root, features);
    const auto put = [&](Feature feature, std::vector<std::byte> bytes) {
        features[static_cast<std::uint32_t>(feature)] = std::move(bytes);
    };
    put(Feature::version, perf::encode_text(recording.version));
    put(Feature::command_line, perf::encode_texts(recording.command_line));
    put(Feature::event_description, perf::encode_event_descriptions(events));
    put(Feature::sample_time, perf::encode_words({tally.first_sample_ns, tally.last_sample_ns}));
    put(Feature::clock_id, perf::encode_words({1}));
    return features;
}

}  // namespace

Result<Summary> write_soft_recording(const base::SysRoot& root, const SoftRecording& recording) {
    const auto files = soft::files_of_run(recording.folder);
    if (!files) return files.error();
    const std::vector<perf::WrittenEvent> events{soft_event(recording)};
    perf::Context context = environment_of(root);
    context.push_back({"recorder", recording.version});
    context.push_back({"event", recording.event});
    for (const auto& note : recording.notes) context.push_back({"note", note});
    auto writer = perf::DataWriter::create(recording.file, events, context);
    if (!writer) return writer.error();

    Summary summary;
    Tally& tally = summary.progress.tally;
    for (const auto& path : *files) {
        if (auto done = add_file(root, path, *writer, tally); !done) return done.error();
    }
    const perf::Context rest{{"duration_ns", std::to_string(recording.elapsed_ns)},
                             {"samples", std::to_string(tally.samples)},
                             {"lost", std::to_string(tally.lost)}};
    const auto done = writer->finish(features_of(root, recording, events, tally), rest);
    if (!done) return done.error();
    if (auto published = writer->publish(); !published) return published.error();
    tally.file_bytes = writer->file_bytes();
    summary.progress.elapsed_ns = recording.elapsed_ns;
    summary.events.push_back({recording.event, tally.lost});
    return summary;
}

}  // namespace ringside::record
