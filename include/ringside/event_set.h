// Event sets: some events, counted together on one target. Names may be perf's ("cycles:u"),
// libpfm4's ("skl::INST_RETIRED:ANY"), raw ("r1a2"), PAPI's presets ("PAPI_TOT_INS"), a metric
// ("ipc"), or another component's ("net:::eth0:rx:bytes").
//
// Nothing here throws or prints. A set is used by one thread at a time, different sets by
// different threads at once; sessions share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/clocks.h>
#include <ringside/export.h>
#include <ringside/result.h>
#include <ringside/trust.h>

namespace ringside {

// What is measured.
struct Target {
    enum class Kind { calling_thread, thread, process, cpus, system, cgroup };

    Kind kind = Kind::calling_thread;
    int id = 0;             // of the thread or process
    std::vector<int> cpus;  // Kind::cpus
    std::string cgroup;     // a path under the cgroup file system, Kind::cgroup

    static Target calling_thread() { return {}; }
    static Target thread(int tid) { return {Kind::thread, tid, {}, {}}; }
    static Target process(int pid) { return {Kind::process, pid, {}, {}}; }
    static Target on_cpus(std::vector<int> cpus) { return {Kind::cpus, 0, std::move(cpus), {}}; }
    static Target system() { return {Kind::system, 0, {}, {}}; }
    static Target in_cgroup(std::string path) { return {Kind::cgroup, 0, {}, std::move(path)}; }
};

// The modes of the CPU in which hardware and software events count; an event's own modifiers win.
struct Domains {
    bool user = true;
    bool kernel = true;
    bool hypervisor = false;
};

struct SetOptions {
    Target target;
    Domains domains;
    // Threads and children that the target makes later count too.
    bool inherit = false;
    // More events than counters: the kernel takes turns, values are scaled. Without it a set that
    // does not fit is refused whole.
    bool multiplex = false;
    // Counting begins at the target's exec instead of at start(); for a held child.
    bool start_on_exec = false;
    // Read counters without the kernel where that is safe.
    bool user_reads = true;
};

// One event's value. Plain data: reading never allocates.
struct Reading {
    // Since start() or reset(); scaled up if the event ran for a part of the time only. Holds the
    // count even when the state says that it is not to be used.
    std::int64_t value = 0;
    CounterState state = CounterState::ok;
    // How far a scaled value may be off, one standard deviation; 0 where nothing was scaled.
    std::int64_t scale_error = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    // A metric's value with its fraction, not a number where it divides by 0; of a count the same
    // as `value`. Filled in by EventSet::read().
    double exact = 0;

    // The part of the time it was counted in, 0 to 1.
    double running_ratio() const {
        return enabled_ns == 0 ? 1.0
                               : static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
    }
};

// What an overflow handler is told. It runs in a signal handler on the thread that overflowed.
struct Overflow {
    std::uint64_t ip = 0;
    std::uint64_t events = 0;  // a bit for each event of the set that overflowed, by its index
    void* context = nullptr;   // the signal's ucontext_t
};
using OverflowHandler = std::function<void(const Overflow&)>;

class RINGSIDE_API EventSet {
  public:
    EventSet(EventSet&&) noexcept;
    EventSet& operator=(EventSet&&) noexcept;
    ~EventSet();

    // Opens the event; all or nothing where several are given. The error says what the kernel
    // refused and what to do. Not while the set runs.
    Result<void> add(std::string_view name);
    Result<void> add(std::span<const std::string_view> names);
    Result<void> remove(std::string_view name);
    std::size_t size() const;
    const std::string& name(std::size_t index) const;

    // From 0. Groups start and stop at once.
    Result<void> start();
    // The set keeps its values.
    Result<void> stop();
    bool running() const;
    Result<void> reset();

    // Values alone, in the order of adding: the fast way, one system call for a group of any size.
    // `values` must hold size() entries.
    Result<void> read(std::span<std::int64_t> values);
    // Values with their verdicts. A 0 that could be a lie is looked into, once for each event,
    // which takes some milliseconds.
    Result<std::vector<Reading>> read();
    // The same for what was counted since the last call of this, or since start().
    Result<std::vector<Reading>> read_interval();
    // Adds to `values` and resets.
    Result<void> accumulate(std::span<std::int64_t> values);

    // Why the last reading of event `index` is as it is: the verdict's reason, how it was read.
    std::string explain(std::size_t index) const;
    // The verdict's reason alone; empty where there is nothing to say.
    std::string reason(std::size_t index) const;

    // Calls `handler` each time event `index`, one of the first 64, has counted `period` more; 0
    // switches it off. Not while the set runs; values are 0 again. The handler may read the set,
    // but not change it.
    Result<void> on_overflow(std::size_t index, std::uint64_t period, OverflowHandler handler);

    struct Impl;  // ours

  private:
    friend class Session;
    explicit EventSet(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct ComponentInfo {
    std::string name;  // "cpu", "steal", ...
    std::string description;
    bool usable = false;
    std::string reason;  // why not, or with what limits
};

struct EventInfo {
    std::string name;  // as add() takes it
    std::string description;
    std::string unit;     // "ns", "bytes", "calls"; empty for plain counts
    std::string formula;  // of a preset or metric, over other events; else empty
};

class RINGSIDE_API Session {
  public:
    // Cheap: components look at the machine when they are first used. Cannot fail.
    static Session open();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    EventSet event_set(const SetOptions& options = {}) const;
    std::vector<ComponentInfo> components() const;
    // What a component can count here and now; events that cannot be opened are not listed.
    Result<std::vector<EventInfo>> events(std::string_view component) const;
    // What add() would take `name` for. Fails, with the reason, where the event cannot be opened.
    Result<EventInfo> find(std::string_view name) const;

    // The presets and metrics that can be counted here.
    std::vector<EventInfo> metrics() const;
    // The names of all that are defined for this processor, whether they can be counted or not.
    std::vector<std::string> metric_names() const;
    // More of them, one a line: "ipc = instructions / cycles ; UNIT ; DESCRIPTION". They come
    // before those there are; docs/library.md describes the language. All or, with the bad line,
    // none.
    Result<void> define_metrics(std::string_view definitions);
    // The same from a file.
    Result<void> load_metrics(const std::string& path);

    struct Impl;  // ours

  private:
    explicit Session(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace ringside
