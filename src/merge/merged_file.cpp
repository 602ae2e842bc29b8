#include "merge/merged_file.h"

#include <algorithm>
#include <array>

#include "perf/data_features.h"

namespace ringside::merge {

namespace {

using perf::Feature;

// What only holds for one of the recordings, or is written anew.
bool is_left_out(std::string_view item) {
    constexpr std::array<std::string_view, 7> names{
        "event", "recorder", "kallsyms.zst", "samples", "duration_ns", "clock_reading", "kvm_tsc"};
    return std::find(names.begin(), names.end(), item) != names.end();
}

perf::Context first_context(const perf::DataFile& host, std::span<const PlacedGuest> guests,
                            const MergedRecords& records, const MadeBy& made_by) {
    perf::Context context;
    context.push_back({"recorder", made_by.version});
    for (const auto& event : records.events()) context.push_back({"event", event.name});
    for (const auto& item : host.context())
        if (!is_left_out(item.name)) context.push_back(item);
    for (const auto& guest : guests)
        context.push_back({"merged_guest", std::to_string(guest.machine_pid) + " " + guest.name});
    return context;
}

// The symbols of all kernels, so that the file can be read anywhere.
perf::Context last_context(const perf::DataFile& host, std::span<const PlacedGuest> guests) {
    perf::Context context;
    const auto add = [&](const perf::DataFile& file, std::string name) {
        if (const auto symbols = perf::find_item(file.context(), "kallsyms.zst"))
            context.push_back({std::move(name), std::string(*symbols)});
    };
    add(host, "kallsyms.zst");
    for (const auto& guest : guests)
        add(*guest.file, "kallsyms.zst." + std::to_string(guest.machine_pid));
    return context;
}

std::vector<perf::DataBuildId> all_build_ids(const perf::DataFile& host,
                                             std::span<const PlacedGuest> guests) {
    auto ids = host.build_ids();
    for (const auto& guest : guests) {
        for (auto id : guest.file->build_ids()) {
            const bool kernel = id.mode == perf::CpuMode::kernel;
            id.mode = kernel ? perf::CpuMode::guest_kernel : perf::CpuMode::guest_user;
            id.pid = guest.machine_pid;
            if (id.file == "[kernel.kallsyms]")
                id.file = "[guest.kernel.kallsyms." + std::to_string(guest.machine_pid) + "]";
            ids.push_back(std::move(id));
        }
    }
    return ids;
}

perf::FeatureSections features_of(const perf::DataFile& host, std::span<const PlacedGuest> guests,
                                  const MergedRecords& records, const MadeBy& made_by) {
    perf::FeatureSections features;
    const auto put = [&](Feature feature, std::vector<std::byte> bytes) {
        features[static_cast<std::uint32_t>(feature)] = std::move(bytes);
    };
    const auto put_text = [&](Feature feature, const std::string& text) {
        if (!text.empty()) put(feature, perf::encode_text(text));
    };
    const perf::Origin& origin = host.origin();
    put_text(Feature::hostname, origin.host);
    put_text(Feature::os_release, origin.os_release);
    put_text(Feature::version, made_by.version);
    put_text(Feature::architecture, origin.architecture);
    put_text(Feature::cpu_description, origin.cpu_description);
    if (origin.memory_kb != 0) put(Feature::total_memory, perf::encode_words({origin.memory_kb}));
    put(Feature::command_line, perf::encode_texts(made_by.command_line));
    put(Feature::event_description, perf::encode_event_descriptions(records.events()));
    if (const auto ids = all_build_ids(host, guests); !ids.empty())
        put(Feature::build_id, perf::encode_build_ids(ids));
    put(Feature::sample_time,
        perf::encode_words({records.first_sample_ns(), records.last_sample_ns()}));
    if (origin.wall_clock_ns != 0)
        put(Feature::clock_data,
            perf::encode_clock_data(origin.clock_id, origin.wall_clock_ns, origin.sample_clock_ns));
    if (!host.tracing_data().empty()) put(Feature::tracing_data, host.tracing_data());
    return features;
}

// Large pieces: a write for each record would take most of the time.
class Batches {
  public:
    explicit Batches(perf::DataWriter& writer) : writer_(writer) {}

    Result<void> add(std::span<const std::byte> record) {
        constexpr std::size_t enough_bytes = std::size_t{1} << 20;
        batch_.raw(record);
        return batch_.size() < enough_bytes ? Result<void>() : flush();
    }
    Result<void> flush() {
        auto done = writer_.append(batch_.bytes());
        batch_.clear();
        return done;
    }

  private:
    perf::DataWriter& writer_;
    base::ByteWriter batch_;
};

}  // namespace

Result<void> write_merged(const std::string& path, const perf::DataFile& host,
                          std::span<const PlacedGuest> guests, const MergedRecords& records,
                          const MadeBy& made_by) {
    auto writer = perf::DataWriter::create(path, records.events(),
                                           first_context(host, guests, records, made_by));
    if (!writer) return writer.error();
    Batches batches(*writer);
    base::ByteWriter index;
    perf::encode_id_index(index, records.guest_ids());
    if (auto done = batches.add(index.bytes()); !done) return done;
    auto written =
        records.for_each([&](std::span<const std::byte> record) { return batches.add(record); });
    if (!written) return written;
    if (auto done = batches.flush(); !done) return done;
    auto done =
        writer->finish(features_of(host, guests, records, made_by), last_context(host, guests));
    if (!done) return done;
    return writer->publish();
}

}  // namespace ringside::merge
