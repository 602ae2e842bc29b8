#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/unit.h"
#include "profile/collector.h"
#include "profile/side_band.h"

namespace ringside::profile {

namespace {

class Loader {
  public:
    Loader(const perf::DataFile& file, Profile& profile, const LoadOptions& options)
        : file_(file),
          profile_(profile),
          window_(options.window),
          keeps_timeline_(options.keep.timeline),
          collector_(profile, options) {}

    Result<void> run() {
        if (auto done = find_window(); !done) return done.error();
        auto done =
            visit([this](std::size_t event, const perf::FullSample& sample, std::uint64_t time_ns) {
                if (window_.contains(time_ns)) collector_.count(event, sample, time_ns);
            });
        if (!done) return done.error();
        collector_.settle();
        if (damaged_ > 0)
            profile_.warnings.push_back(fmt::format(
                "{} samples are shorter than their event says, the first at byte {} of the records",
                damaged_, first_damaged_));
        std::erase_if(profile_.steal, [&](const perf::StealReading& reading) {
            return !window_.contains(reading.time_ns);
        });
        if (keeps_timeline_)
            std::stable_sort(
                profile_.timeline.begin(), profile_.timeline.end(),
                [](const Instant& a, const Instant& b) { return a.time_ns < b.time_ns; });
        return {};
    }

  private:
    // Parts of the whole become instants: from what the header says, else from the samples.
    Result<void> find_window() {
        if (!window_.parts) return {};
        std::uint64_t first = file_.origin().first_sample_ns;
        std::uint64_t last = file_.origin().last_sample_ns;
        if (last == 0) {
            first = ~std::uint64_t{0};
            auto done = visit([&](std::size_t, const perf::FullSample&, std::uint64_t time_ns) {
                first = std::min(first, time_ns);
                last = std::max(last, time_ns);
            });
            if (!done) return done.error();
        }
        window_ = window_.within(first, last);
        damaged_ = 0;
        return {};
    }

    template <typename Take>
    Result<void> visit(const Take& take) {
        std::vector<std::byte> buffer;
        const auto each = [&](const perf::DataRecord& record) {
            if (record.type == PERF_RECORD_SAMPLE) decode(record, take);
        };
        for (const auto& piece : file_.pieces())
            if (auto done = file_.read(piece, buffer, each); !done) return done.error();
        return {};
    }

    template <typename Take>
    void decode(const perf::DataRecord& record, const Take& take) {
        const std::size_t event = file_.event_of(record);
        const auto& layout = file_.events()[event].layout;
        auto sample = perf::decode_full_sample(record.body, record.misc, layout, file_.order());
        if (!sample) {
            if (damaged_++ == 0) first_damaged_ = record.position;
            return;
        }
        if (const auto guest = file_.guest_of(record)) sample->machine = guest->machine_pid;
        const bool timed = (layout.sample_type & PERF_SAMPLE_TIME) != 0;
        take(event, *sample, timed ? sample->time_ns : record.position);
    }

    const perf::DataFile& file_;
    Profile& profile_;
    Window window_;
    bool keeps_timeline_;
    Collector collector_;
    std::uint64_t damaged_ = 0;
    std::uint64_t first_damaged_ = 0;
};

void take_kallsyms(const perf::Context& context, RecordedKallsyms& into) {
    constexpr std::string_view of_guest = "kallsyms.zst.";
    into.kernel = perf::find_item(context, "kallsyms.zst").value_or("");
    for (const auto& item : context) {
        const auto machine = item.name.starts_with(of_guest)
                                 ? base::parse_u64(item.name.substr(of_guest.size()))
                                 : std::nullopt;
        if (machine) into.guests[static_cast<std::uint32_t>(*machine)] = item.value;
    }
}

}  // namespace

Result<Profile> load(const std::string& path, const LoadOptions& options) {
    SideBand side_band;
    perf::StealReadings readings;
    auto file = perf::DataFile::open(path, [&](const perf::DataFile& f, const perf::DataRecord& r) {
        side_band.take(f, r);
        readings.take(f, r);
    });
    if (!file) return file.error();
    Profile profile;
    profile.steal = std::move(readings).of_steal(*file);
    for (const auto& event : file->events()) {
        EventTotals totals;
        totals.name = event.name;
        totals.in_ns = model::counts_ns({event.attributes.type, event.attributes.config, 0, 0}) ||
                       model::counts_ns(event.name);
        totals.unit = perf::find_item(file->context(), "unit." + event.name).value_or("");
        profile.events.push_back(std::move(totals));
    }
    for (std::size_t i = 0; i < side_band.lost().size() && i < profile.events.size(); ++i)
        profile.events[i].lost = side_band.lost()[i];
    for (const auto& known : file->build_ids()) {
        const bool guest =
            known.mode == perf::CpuMode::guest_kernel || known.mode == perf::CpuMode::guest_user;
        if (!guest) profile.world->note_build_id(known.file, known.build_id);
    }
    side_band.replay(*profile.world);
    take_kallsyms(file->context(), *profile.kallsyms);
    if (options.fold) {
        profile.book =
            std::make_unique<ModuleBook>(*profile.world, *options.fold, *profile.kallsyms);
        profile.locations.fold(*profile.book, options.fold_unnamed);
    }
    if (auto done = Loader(*file, profile, options).run(); !done) return done.error();
    profile.origin = file->origin();
    auto warnings = file->warnings();
    profile.warnings.insert(profile.warnings.begin(), warnings.begin(), warnings.end());
    return profile;
}

}  // namespace ringside::profile
