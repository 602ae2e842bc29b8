#include "merge/host_view.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "merge/samples.h"
#include "proc/task.h"

namespace ringside::merge {

namespace {

using perf::FieldCursor;

enum class Kind : std::uint8_t {
    entry,
    exit,
    userspace_exit,
    out_runnable,
    out_asleep,
    in,
    wakeup
};

struct Happening {
    std::uint64_t time_ns = 0;
    std::uint32_t tid = 0;
    std::uint32_t pid = 0;
    std::uint32_t cpu = 0;
    std::uint32_t vcpu = 0;
    Kind kind = Kind::entry;
};

// Where the fields lie: as the file says, or where it does not, as in the 64-bit kernels up
// to 6.12.
struct Offsets {
    std::size_t entry_vcpu = 8;  // x86 only
    std::size_t switch_prev_pid = 24;
    std::size_t switch_prev_state = 32;
    std::size_t switch_next_pid = 56;
    std::size_t wakeup_pid = 24;
};

void set_offset(std::size_t& offset, const perf::TracepointFormat& format, std::string_view field) {
    if (const auto* found = format.find(field)) offset = found->offset;
}

Offsets offsets_of(const perf::DataFile& file) {
    Offsets offsets;
    for (const auto& format : file.tracepoints()) {
        if (format.name == "kvm_entry") set_offset(offsets.entry_vcpu, format, "vcpu_id");
        if (format.name == "sched_wakeup") set_offset(offsets.wakeup_pid, format, "pid");
        if (format.name != "sched_switch") continue;
        set_offset(offsets.switch_prev_pid, format, "prev_pid");
        set_offset(offsets.switch_prev_state, format, "prev_state");
        set_offset(offsets.switch_next_pid, format, "next_pid");
    }
    return offsets;
}

template <typename T>
T field(const perf::FullSample& sample, std::size_t at, perf::ByteOrder order) {
    if (sample.raw.size() < at + sizeof(T)) return T{};
    return FieldCursor(sample.raw.subspan(at), order).read<T>();
}

enum class Tracepoint { none, entry, exit, userspace_exit, sched_switch, wakeup };

Tracepoint tracepoint_of(const std::string& name) {
    if (name == "kvm:kvm_entry") return Tracepoint::entry;
    if (name == "kvm:kvm_exit") return Tracepoint::exit;
    if (name == "kvm:kvm_userspace_exit") return Tracepoint::userspace_exit;
    if (name == "sched:sched_switch") return Tracepoint::sched_switch;
    if (name == "sched:sched_wakeup") return Tracepoint::wakeup;
    return Tracepoint::none;
}

class Reading {
  public:
    explicit Reading(const perf::DataFile& file) : file_(file), at_(offsets_of(file)) {
        for (const auto& event : file.events()) tracepoints_.push_back(tracepoint_of(event.name));
    }

    bool has(Tracepoint wanted) const {
        return std::find(tracepoints_.begin(), tracepoints_.end(), wanted) != tracepoints_.end();
    }

    Result<void> run() {
        auto done = for_samples(file_, [this](std::size_t event, const perf::FullSample& sample) {
            first_ns_ = std::min(first_ns_, sample.time_ns);
            last_ns_ = std::max(last_ns_, sample.time_ns);
            take(tracepoints_[event], sample);
        });
        if (!done) return done;
        std::stable_sort(happenings_.begin(), happenings_.end(),
                         [](const Happening& a, const Happening& b) {
                             return a.tid != b.tid ? a.tid < b.tid : a.time_ns < b.time_ns;
                         });
        return {};
    }

    std::uint64_t first_ns() const { return first_ns_; }
    std::uint64_t last_ns() const { return last_ns_; }
    const std::vector<Happening>& happenings() const { return happenings_; }

  private:
    void take(Tracepoint tracepoint, const perf::FullSample& sample) {
        const auto order = file_.order();
        Happening it{sample.time_ns, sample.tid, sample.pid, sample.cpu, 0, Kind::entry};
        switch (tracepoint) {
            case Tracepoint::none:
                return;
            case Tracepoint::entry:
                it.vcpu = field<std::uint32_t>(sample, at_.entry_vcpu, order);
                break;
            case Tracepoint::exit:
                it.kind = Kind::exit;
                break;
            case Tracepoint::userspace_exit:
                it.kind = Kind::userspace_exit;
                break;
            case Tracepoint::wakeup:
                it.kind = Kind::wakeup;
                it.tid = field<std::uint32_t>(sample, at_.wakeup_pid, order);
                break;
            case Tracepoint::sched_switch:
                return take_switch(sample, it);
        }
        happenings_.push_back(it);
    }

    void take_switch(const perf::FullSample& sample, Happening it) {
        // The lowest byte says why it sleeps; preempted threads have a bit above it.
        constexpr std::uint64_t sleep_states = 0xff;
        const auto order = file_.order();
        const auto state = field<std::uint64_t>(sample, at_.switch_prev_state, order);
        it.tid = field<std::uint32_t>(sample, at_.switch_prev_pid, order);
        it.kind = (state & sleep_states) == 0 ? Kind::out_runnable : Kind::out_asleep;
        happenings_.push_back(it);
        it.tid = field<std::uint32_t>(sample, at_.switch_next_pid, order);
        it.kind = Kind::in;
        happenings_.push_back(it);
    }

    const perf::DataFile& file_;
    const Offsets at_;
    std::vector<Tracepoint> tracepoints_;
    std::vector<Happening> happenings_;
    std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last_ns_ = 0;
};

// Follows one thread from happening to happening.
class Following {
  public:
    Following(VcpuThread& thread, std::uint64_t first_ns) : thread_(thread), begin_ns_(first_ns) {}

    void step(const Happening& it) {
        switch (it.kind) {
            case Kind::entry:
                // An entry in the run that it begins: the exit between them was lost.
                if (doing_ == Doing::running) doing_ = Doing::unknown;
                known_ = true;
                return become(Doing::running, it);
            case Kind::exit:
                // It ran when the recording began, or its entry was lost.
                if (doing_ != Doing::running) doing_ = known_ ? Doing::unknown : Doing::running;
                begun_ = known_ = true;
                thread_.exits_ns.push_back(it.time_ns);
                return become(Doing::kernel, it);
            case Kind::userspace_exit:
                return become(Doing::vmm, it);
            case Kind::out_runnable:
            case Kind::out_asleep:
                // A kernel that can be preempted anywhere reports the exit afterwards.
                back_to_ = doing_ == Doing::vmm ? Doing::vmm : Doing::kernel;
                return become(it.kind == Kind::out_runnable ? Doing::waiting : Doing::sleeping, it);
            case Kind::wakeup:
                if (doing_ == Doing::sleeping) become(Doing::waiting, it);
                return;
            case Kind::in:
                if (doing_ == Doing::waiting || doing_ == Doing::sleeping) become(back_to_, it);
                return;
        }
    }

    void finish(std::uint64_t last_ns) { add(last_ns); }

  private:
    void add(std::uint64_t end_ns) {
        if (!begun_ || end_ns <= begin_ns_) return;
        thread_.stretches.push_back({begin_ns_, end_ns, cpu_, doing_});
        if (doing_ == Doing::running || doing_ == Doing::unknown)
            thread_.runs.push_back({begin_ns_, end_ns});
    }

    void become(Doing next, const Happening& it) {
        if (!known_) return;
        add(it.time_ns);
        begun_ = true;
        begin_ns_ = it.time_ns;
        doing_ = next;
        if (it.kind != Kind::wakeup) cpu_ = it.cpu;
    }

    VcpuThread& thread_;
    Doing doing_ = Doing::kernel;
    Doing back_to_ = Doing::kernel;
    bool known_ = false;  // a kvm event was seen: it is a vCPU's thread, and in the state it says
    bool begun_ = false;
    std::uint64_t begin_ns_ = 0;
    std::uint32_t cpu_ = 0;
};

bool is_kvm(const Happening& it) {
    return it.kind == Kind::entry || it.kind == Kind::exit;
}

std::vector<VcpuThread> follow_threads(const Reading& reading, bool numbered,
                                       const std::map<std::uint32_t, std::string>& names) {
    const auto& happenings = reading.happenings();
    std::vector<VcpuThread> threads;
    for (auto from = happenings.begin(); from != happenings.end();) {
        const auto to = std::find_if(from, happenings.end(),
                                     [&](const Happening& it) { return it.tid != from->tid; });
        const auto first = std::find_if(from, to, is_kvm);
        const auto entry =
            std::find_if(from, to, [](const Happening& it) { return it.kind == Kind::entry; });
        if (first != to && from->tid != 0) {
            VcpuThread& thread = threads.emplace_back();
            thread.pid = first->pid;
            thread.tid = first->tid;
            if (const auto name = names.find(thread.tid); name != names.end())
                thread.vcpu = proc::vcpu_of_thread_name(name->second);
            if (numbered && entry != to) thread.vcpu = entry->vcpu;
            Following following(thread, reading.first_ns());
            for (auto it = from; it != to; ++it) following.step(*it);
            following.finish(reading.last_ns());
        }
        from = to;
    }
    return threads;
}

}  // namespace

std::string_view to_string(Doing doing) {
    constexpr std::array<std::string_view, doing_count> names{"running", "kernel",   "vmm",
                                                              "waiting", "sleeping", "unknown"};
    return names[static_cast<std::size_t>(doing)];
}

DoingTimes VcpuThread::times(std::uint64_t from_ns, std::uint64_t to_ns) const {
    DoingTimes sums{};
    for (const auto& stretch : stretches) {
        const std::uint64_t begin = std::max(from_ns, stretch.begin_ns);
        const std::uint64_t end = std::min(to_ns, stretch.end_ns);
        if (begin < end) sums[static_cast<std::size_t>(stretch.doing)] += end - begin;
    }
    return sums;
}

std::uint32_t VcpuThread::cpu_at(std::uint64_t time_ns) const {
    const auto after =
        std::upper_bound(stretches.begin(), stretches.end(), time_ns,
                         [](std::uint64_t time, const Stretch& s) { return time < s.begin_ns; });
    if (stretches.empty()) return 0;
    return after == stretches.begin() ? stretches.front().cpu : (after - 1)->cpu;
}

Result<HostView> read_host(const perf::DataFile& file, const std::string& path,
                           const std::map<std::uint32_t, std::string>& names) {
    if (auto fits = check_samples(file, path); !fits) return fits.error();
    Reading reading(file);
    const std::string hint =
        "record the host with: ringside record -a -e "
        "kvm:kvm_entry,kvm:kvm_exit,sched:sched_switch,sched:sched_wakeup,cpu-clock";
    if (!reading.has(Tracepoint::entry) || !reading.has(Tracepoint::exit))
        return base::fail(ErrorCode::bad_input,
                          path +
                              " is no recording of a KVM host: it has no kvm:kvm_entry and "
                              "kvm:kvm_exit",
                          hint + "; the host's file comes first");
    if (auto done = reading.run(); !done) return done.error();
    HostView view;
    // Only x86 says in kvm_entry which vCPU it is.
    const bool numbered = file.origin().architecture.starts_with("x86");
    view.threads = follow_threads(reading, numbered, names);
    if (view.threads.empty())
        return base::fail(ErrorCode::bad_input, path + ": no guest ran while the host was recorded",
                          hint);
    std::sort(view.threads.begin(), view.threads.end(),
              [](const VcpuThread& a, const VcpuThread& b) {
                  return std::tuple(a.pid, a.vcpu.value_or(~0u), a.tid) <
                         std::tuple(b.pid, b.vcpu.value_or(~0u), b.tid);
              });
    view.first_ns = reading.first_ns();
    view.last_ns = reading.last_ns();
    view.sees_switches = reading.has(Tracepoint::sched_switch);
    view.sees_wakeups = reading.has(Tracepoint::wakeup);
    view.sees_vmm = reading.has(Tracepoint::userspace_exit);
    return view;
}

}  // namespace ringside::merge
