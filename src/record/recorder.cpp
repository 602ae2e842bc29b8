#include "record/recorder.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>
#include <time.h>

#include "base/clock.h"
#include "perf/record_encoder.h"
#include "proc/cpus.h"
#include "proc/task.h"
#include "record/buffers.h"
#include "record/clock_facts.h"
#include "record/environment.h"
#include "record/kernel.h"
#include "record/kernel_symbols.h"
#include "record/off_cpu.h"
#include "record/processes.h"
#include "record/readers.h"
#include "record/steal_series.h"
#include "record/tracing_data.h"

namespace ringside::record {

namespace {

using perf::Feature;

using base::now_ns;
class LiveRecorder final : public Recorder {
  public:
    LiveRecorder(const base::SysRoot& root, Settings settings)
        : root_(root), settings_(std::move(settings)) {}

    Result<void> prepare() {
        const auto cpus = proc::online_cpus(root_);
        if (!cpus) return cpus.error();
        auto buffers = Buffers::open(settings_, *cpus, notes_);
        if (!buffers) return buffers.error();
        buffers_ = std::move(*buffers);
        if (!settings_.start_on_exec) {
            if (auto done = buffers_.enable_tracking(); !done) return done;
        }
        events_ = buffers_.events();
        if (settings_.off_cpu) {
            if (auto done = follow_waits(); !done) return done;
        }
        steal_.emplace(root_, buffers_.rings());
        auto writer = perf::DataWriter::create(settings_.file, events_, first_context());
        if (!writer) return writer.error();
        store_.emplace(std::move(*writer), reader_count(buffers_.rings().size()));
        if (buffers_.of_all_processes()) store_->keep_only(processes());
        describe_beginning();
        if (const auto failure = store_->failure()) return *failure;
        return {};
    }

    const std::vector<std::string>& notes() const override { return notes_; }

    Result<void> begin() override {
        if (auto done = store_->writer().publish(); !done) return done;
        begun_ns_ = now_ns(CLOCK_MONOTONIC);
        auto readers = Readers::start(buffers_, *store_, [this] {
            write_steal();
            guest_counters_.look(root_);
        });
        if (!readers) return readers.error();
        readers_ = std::move(*readers);
        if (settings_.start_on_exec) return {};
        return buffers_.enable_sampling();
    }

    Progress progress() const override {
        return {store_->tally(), now_ns(CLOCK_MONOTONIC) - begun_ns_, store_->failure()};
    }

    Result<Summary> finish() override {
        buffers_.disable();
        readers_->stop();
        write_steal();
        guest_counters_.look(root_);
        Summary summary;
        const std::uint64_t untold = write_losses(summary);
        if (off_cpu_) summary.waits = write_waits();
        summary.progress = progress();
        summary.progress.tally.lost += untold;
        summary.stolen_ns = steal_->total_ns();
        if (summary.progress.failure) return summary;
        const auto done = store_->writer().finish(last_features(summary), last_context(summary));
        if (!done) summary.progress.failure = done.error();
        summary.progress.tally.file_bytes = store_->tally().file_bytes;
        return summary;
    }

  private:
    // The events of waits lie before the one that tracks, which stays the last.
    Result<void> follow_waits() {
        auto tracer = bpf::OffCpuTracer::load(root_, settings_.all_processes);
        if (!tracer) return tracer.error();
        off_cpu_ = std::move(*tracer);
        const auto made = off_cpu_events();
        events_.insert(events_.end() - 1, made.begin(), made.end());
        if (settings_.all_processes) return {};
        for (const auto& target : settings_.targets)
            if (auto done = off_cpu_->add(target.pid); !done) return done;
        return {};
    }

    std::vector<Waited> write_waits() {
        const auto profile = off_cpu_->read();
        base::ByteWriter out;
        encode_off_cpu(profile, now_ns(CLOCK_MONOTONIC), out);
        store_->add(out.bytes());
        if (profile.lost > 0)
            notes_.push_back(fmt::format("{} waits were left out: too many", profile.lost));
        return sum_waits(profile);
    }

    // Those that the targets' threads belong to.
    std::unordered_set<std::uint32_t> processes() const {
        std::unordered_set<std::uint32_t> pids;
        for (const auto& target : settings_.targets)
            pids.insert(static_cast<std::uint32_t>(
                proc::process_of(root_, target.pid).value_or(target.pid)));
        return pids;
    }

    // What runs already; the time stamps are 0, so that it lies before everything else.
    void describe_beginning() {
        base::ByteWriter out;
        kernel_ = read_kernel_image(root_);
        describe_kernel(kernel_, settings_.guest, out);
        if (settings_.all_processes) {
            describe_all_processes(root_, out);
        } else if (!settings_.start_on_exec) {
            for (const auto pid : processes())
                describe_process(root_, static_cast<pid_t>(pid), out);
        }
        store_->add(out.bytes());
        write_steal();
    }

    void write_steal() {
        base::ByteWriter out;
        steal_->read(now_ns(CLOCK_MONOTONIC), out);
        if (!out.empty()) store_->add(out.bytes());
    }

    // The kernel says in the stream what was lost, once there is room again. What it could not say
    // any more it has still counted: how many that are.
    std::uint64_t write_losses(Summary& summary) {
        const auto counted = buffers_.lost();
        for (std::size_t i = 0; i + 1 < buffers_.events().size(); ++i)
            summary.events.push_back(
                {buffers_.events()[i].name, i < counted.size() ? counted[i] : 0});
        const std::uint64_t all = std::accumulate(counted.begin(), counted.end(), std::uint64_t{0});
        const std::uint64_t told = store_->tally().lost;
        if (all <= told) return 0;
        base::ByteWriter out;
        perf::RecordStamp stamp;
        stamp.time_ns = now_ns(CLOCK_MONOTONIC);
        stamp.event_id = events_.front().ids.front();
        perf::encode_lost_samples(out, all - told, stamp);
        store_->add(out.bytes());
        return all - told;
    }

    perf::Context first_context() const {
        perf::Context context = environment_of(root_);
        context.push_back({"recorder", settings_.version});
        for (const auto& event : events_) context.push_back({"event", event.name});
        // Again in a section of the finished file, which a recorder that is killed never writes.
        for (auto& format : tracepoint_formats(root_, settings_.events))
            context.push_back({"tracepoint_format", std::move(format)});
        context.push_back({"call_graph", std::string(to_string(settings_.call_graph))});
        for (const auto& note : notes_) context.push_back({"note", note});
        context.push_back({"steal_event", std::to_string(events_.size() - 1)});
        context.push_back({"steal_source", std::string(steal_->source())});
        context.push_back(clock_reading());
        return context;
    }

    perf::Context last_context(const Summary& summary) const {
        const Tally& tally = summary.progress.tally;
        perf::Context context;
        context.push_back({"duration_ns", std::to_string(summary.progress.elapsed_ns)});
        context.push_back({"samples", std::to_string(tally.samples)});
        context.push_back({"lost", std::to_string(tally.lost)});
        context.push_back({"throttled", std::to_string(tally.throttled)});
        context.push_back(clock_reading());
        for (auto& item : guest_counters_.items()) context.push_back(std::move(item));
        if (tally.kernel && kernel_.start != 0) {
            if (auto symbols = compressed_kallsyms(root_, cache_folder()))
                context.push_back({"kallsyms.zst", std::move(*symbols)});
        }
        return context;
    }

    perf::FeatureSections last_features(const Summary& summary) const {
        perf::FeatureSections features;
        const auto put = [&](Feature feature, std::vector<std::byte> bytes) {
            features[static_cast<std::uint32_t>(feature)] = std::move(bytes);
        };
        add_machine(root_, features);
        put(Feature::version, perf::encode_text(settings_.version));
        put(Feature::command_line, perf::encode_texts(settings_.command_line));
        put(Feature::event_description, perf::encode_event_descriptions(events_));
        if (const auto ids = build_ids_of(kernel_); !ids.empty())
            put(Feature::build_id, perf::encode_build_ids(ids));
        put(Feature::sample_time, perf::encode_words({summary.progress.tally.first_sample_ns,
                                                      summary.progress.tally.last_sample_ns}));
        put(Feature::clock_id, perf::encode_words({1}));  // its resolution, in ns
        put(Feature::clock_data, perf::encode_clock_data(CLOCK_MONOTONIC, now_ns(CLOCK_REALTIME),
                                                         now_ns(CLOCK_MONOTONIC)));
        if (settings_.call_graph == CallGraph::lbr) put(Feature::branch_stack, {});
        if (auto formats = tracing_data(root_, settings_.events); !formats.empty())
            put(Feature::tracing_data, std::move(formats));
        return features;
    }

    base::SysRoot root_;
    Settings settings_;
    std::vector<std::string> notes_;
    Buffers buffers_;
    std::vector<perf::WrittenEvent> events_;  // as the file has them
    std::unique_ptr<bpf::OffCpuTracer> off_cpu_;
    KernelImage kernel_;
    std::optional<StealSeries> steal_;
    GuestCounters guest_counters_;
    std::optional<Store> store_;
    std::uint64_t begun_ns_ = 0;
    std::unique_ptr<Readers> readers_;  // last: they use the rest
};

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const base::SysRoot& root, Settings settings) {
    auto recorder = std::make_unique<LiveRecorder>(root, std::move(settings));
    if (auto done = recorder->prepare(); !done) return done.error();
    return std::unique_ptr<Recorder>(std::move(recorder));
}

}  // namespace ringside::record
