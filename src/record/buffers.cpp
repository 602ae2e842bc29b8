#include "record/buffers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "record/attributes.h"

namespace ringside::record {

namespace {

using perf::EventFd;

// Threads times CPUs times events can be many. How many files may be open.
std::size_t allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

bool is_gone(const Error& error) {
    return error.sys_errno == ESRCH || error.sys_errno == ENODEV;
}

// No such counter, or one that cannot interrupt: then nothing can be sampled by it.
bool is_absent(const Error& error) {
    return error.sys_errno == ENOENT || error.sys_errno == EOPNOTSUPP || error.sys_errno == ENODEV;
}

bool is_cycles(const model::Event& event) {
    return event.code.type == PERF_TYPE_HARDWARE &&
           (event.code.config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES;
}

// Time on the CPU, which the kernel's own timer can sample where no counter interrupts.
model::Event cpu_clock_like(const model::Event& event) {
    model::Event clock = event;
    clock.name = "cpu-clock" + event.name.substr(std::min(event.name.find(':'), event.name.size()));
    clock.kind = model::EventKind::software;
    clock.code = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0};
    clock.precise = 0;
    return clock;
}

}  // namespace

class Buffers::Opening {
  public:
    Opening(Buffers& buffers, const Settings& settings, const std::vector<int>& online,
            std::vector<std::string>& notes)
        : buffers_(buffers), settings_(settings), online_(online), notes_(notes) {}

    Result<void> run() {
        events_ = settings_.events;
        targets_ = settings_.targets;
        limit_targets(allow_many_files());
        for (auto& event : events_)
            if (auto done = choose(event); !done) return done;
        perf_event_attr tracking = tracking_attributes(settings_);
        if (auto done = settle(tracking, "tracking", true, online_); !done) return done;
        buffers_.events_.push_back({tracking, "dummy:u", {}});
        buffers_.fds_.resize(buffers_.events_.size());
        for (const auto& target : targets_)
            if (auto done = open_target(target); !done) return done;
        if (buffers_.rings_.empty())
            return base::fail_errno(ESRCH, "nothing to record", "the process or thread has ended");
        return {};
    }

  private:
    // A process with thousands of threads wants more events than there can be files.
    void limit_targets(std::size_t most_files) {
        constexpr std::size_t for_others = 64;
        const std::size_t wanted = targets_.size() * online_.size() * (events_.size() + 1);
        const bool threads = !targets_.empty() && targets_.front().cpu < 0;
        if (!threads || wanted + for_others <= most_files) return;
        notes_.push_back(fmt::format(
            "{} threads are too many to follow one by one: all CPUs are sampled, and the samples "
            "of other processes left out",
            targets_.size()));
        buffers_.of_all_processes_ = true;
        targets_.clear();
        for (const int cpu : online_) targets_.push_back({-1, cpu});
    }

    // Finds attributes that the kernel takes for `event`, or for what stands in for it.
    Result<void> choose(SampledEvent& event) {
        perf_event_attr attr = sampling_attributes(event.event, settings_);
        if (event.period != 0) {
            attr.freq = 0;
            attr.sample_period = event.period;
        }
        const auto& cpus = event.cpus.empty() ? online_ : event.cpus;
        auto done = settle(attr, event.event.name, event.event.modes_named, cpus);
        if (!done && is_absent(done.error()) && is_cycles(event.event)) {
            const model::Event clock = cpu_clock_like(event.event);
            notes_.push_back(fmt::format(
                "no counter samples {} here: {}, which samples time, is recorded in its place "
                "(`ringside doctor` says why)",
                event.event.name, clock.name));
            event = {clock, {}};
            attr = sampling_attributes(clock, settings_);
            done = settle(attr, clock.name, clock.modes_named, online_);
        }
        if (!done) return explain(done.error());
        const bool user_only = attr.exclude_kernel != 0 && !event.event.exclude.kernel;
        if (user_only) event.event = model::user_only(event.event);
        if (!event.event.probe_text.empty()) attr.config1 = 0;  // an address, not for the file
        buffers_.events_.push_back({attr, event.event.name, {}});
        return {};
    }

    Error explain(Error error) const {
        if (error.sys_errno == EINVAL && settings_.period == 0)
            error.hint = fmt::format("{} Hz may be more than kernel.perf_event_max_sample_rate",
                                     settings_.frequency_hz);
        if (error.sys_errno == EOPNOTSUPP && settings_.call_graph == CallGraph::lbr)
            error.hint = "this machine has no branch records (LBR); use -g fp or -g dwarf";
        return error;
    }

    // Opens and closes it on one CPU until the kernel takes it.
    Result<void> settle(perf_event_attr& attr, const std::string& name, bool modes_named,
                        const std::vector<int>& cpus) {
        Error first;
        std::string loss;
        while (true) {
            const auto opened = open_somewhere(attr, name, cpus);
            if (opened) break;
            if (first.what.empty()) first = opened.error();
            if (is_absent(opened.error()) && attr.exclude_guest == 0) return opened.error();
            if (!make_modest(attr, opened.error().sys_errno, modes_named, loss)) return first;
        }
        if (!loss.empty()) notes_.push_back(name + ": " + loss);
        return {};
    }

    Result<void> open_somewhere(const perf_event_attr& attr, const std::string& name,
                                const std::vector<int>& cpus) const {
        Result<EventFd> opened = base::fail_errno(ESRCH, "cannot open the event " + name);
        for (const auto& target : targets_) {
            perf::Target at = target;
            if (at.cpu < 0 && !cpus.empty()) at.cpu = cpus.front();
            opened = EventFd::open(attr, at, name);
            if (opened || !is_gone(opened.error())) break;
        }
        if (!opened) return opened.error();
        return {};
    }

    Result<void> open_target(const perf::Target& target) {
        if (target.cpu >= 0) return open_cell(target);
        for (const int cpu : online_) {
            perf::Target cell = target;
            cell.cpu = cpu;
            if (auto done = open_cell(cell); !done) return done;
        }
        return {};
    }

    // All events on one CPU, of one thread or all. A thread that ended meanwhile is left out.
    Result<void> open_cell(const perf::Target& cell) {
        const std::size_t tracking = buffers_.events_.size() - 1;
        auto tracker = EventFd::open(buffers_.events_[tracking].attributes, cell, "tracking");
        if (!tracker && is_gone(tracker.error())) return {};
        if (!tracker) return tracker.error();
        const auto id = tracker->id();
        if (!id) return id.error();
        const auto owner = owner_fd(cell.cpu, *tracker, *id);
        if (!owner) return owner.error();
        if (auto done = keep(tracking, std::move(*tracker), *id, *owner); !done) return done;
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const auto& cpus = events_[i].cpus;
            if (!cpus.empty() && std::find(cpus.begin(), cpus.end(), cell.cpu) == cpus.end())
                continue;
            auto event = open_event(i, cell);
            if (!event && is_gone(event.error())) return {};
            if (!event) return event.error();
            const auto event_id = event->id();
            if (!event_id) return event_id.error();
            if (auto done = keep(i, std::move(*event), *event_id, *owner); !done) return done;
        }
        return {};
    }

    Result<EventFd> open_event(std::size_t index, const perf::Target& cell) const {
        const model::Event& event = events_[index].event;
        perf_event_attr attr = buffers_.events_[index].attributes;
        if (!event.probe_text.empty()) attr.config1 = perf::attributes_of(event).config1;
        auto opened = EventFd::open(attr, cell, event.name);
        if (!opened) return opened;
        if (auto done = opened->set_filter(event); !done) return done.error();
        return opened;
    }

    Result<void> keep(std::size_t index, EventFd event, std::uint64_t id, int owner) {
        if (event.fd() != owner) {
            if (auto done = event.write_into(owner); !done) return done;
        }
        buffers_.events_[index].ids.push_back(id);
        buffers_.fds_[index].push_back(std::move(event));
        return {};
    }

    // The first event on a CPU brings the buffer; those that follow write into it.
    Result<int> owner_fd(int cpu, const EventFd& event, std::uint64_t id) {
        if (const auto found = owners_.find(cpu); found != owners_.end()) return found->second;
        auto ring = map_ring(event);
        if (!ring) return ring.error();
        buffers_.rings_.push_back({cpu, std::move(*ring), event.fd(), id});
        owners_[cpu] = event.fd();
        return event.fd();
    }

    // Without rights the kernel lends little memory: take what it gives.
    Result<perf::RingBuffer> map_ring(const EventFd& event) {
        constexpr std::size_t least_pages = 8;
        const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t pages = least_pages;
        const std::size_t most =
            buffers_.bytes_each_ != 0 ? buffers_.bytes_each_ : settings_.buffer_bytes;
        while (2 * pages * page_bytes <= most) pages *= 2;
        while (true) {
            auto ring = perf::RingBuffer::map(event, pages);
            if (ring || pages <= least_pages) {
                buffers_.bytes_each_ = pages * page_bytes;
                return ring;
            }
            pages /= 2;
        }
    }

    Buffers& buffers_;
    const Settings& settings_;
    const std::vector<int>& online_;
    std::vector<std::string>& notes_;
    std::vector<SampledEvent> events_;
    std::vector<perf::Target> targets_;
    std::map<int, int> owners_;  // by CPU
};

Result<Buffers> Buffers::open(const Settings& settings, const std::vector<int>& online_cpus,
                              std::vector<std::string>& notes) {
    Buffers buffers;
    if (auto done = Opening(buffers, settings, online_cpus, notes).run(); !done)
        return done.error();
    return buffers;
}

Result<void> Buffers::enable_tracking() const {
    for (const auto& event : fds_.back())
        if (auto done = event.enable(); !done) return done;
    return {};
}

Result<void> Buffers::enable_sampling() const {
    for (std::size_t i = 0; i + 1 < fds_.size(); ++i)
        for (const auto& event : fds_[i])
            if (auto done = event.enable(); !done) return done;
    return {};
}

void Buffers::disable() const {
    for (const auto& events : fds_)
        for (const auto& event : events) static_cast<void>(event.disable());
}

std::vector<std::uint64_t> Buffers::lost() const {
    std::vector<std::uint64_t> lost;
    for (std::size_t i = 0; i + 1 < events_.size(); ++i) {
        if (events_[i].attributes.read_format != PERF_FORMAT_LOST) return {};
        lost.push_back(0);
        std::array<std::uint64_t, 2> words{};  // the count, then what was lost
        for (const auto& event : fds_[i])
            if (::read(event.fd(), words.data(), sizeof words) == sizeof words)
                lost.back() += words[1];
    }
    return lost;
}

}  // namespace ringside::record
