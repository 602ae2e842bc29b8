#include "bpf/steal_tracer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <bpf/bpf.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "bpf/kernel_layout.h"
#include "bpf/objects.h"
#include "bpf/steal_layout.h"

namespace ringside::bpf {

Result<std::shared_ptr<StealTracer>> StealTracer::load(const base::SysRoot& root) {
    if (auto same = check_thread_ids(root); !same) return same.error();
    std::shared_ptr<StealTracer> tracer(new StealTracer);
    auto attached = tracer->attach(root);
    if (!attached) return attached.error();
    auto mapped = tracer->map_tables();
    if (!mapped) return mapped.error();
    auto cpus = tracer->read_cpus();
    if (!cpus) return cpus.error();
    for (const auto& cpu : *cpus) tracer->source_ = std::max(tracer->source_, cpu.source);
    return tracer;
}

Result<void> StealTracer::attach(const base::SysRoot& root) {
    const auto layout = read_kernel_layout(root);
    if (!layout) return layout.error();
    if (!layout->accounted_from_run_queue) {
        return base::fail(ErrorCode::unsupported,
                          "the kernel's types do not tell where steal lies");
    }
    const steal_places places{layout->kvm_from_run_queue.value_or(0),
                              layout->arm_pv_from_run_queue.value_or(0),
                              layout->accounted_from_run_queue.value_or(0)};
    auto program = Program::open(steal_object());
    if (!program) return program.error();
    program_ = std::move(*program);
    if (auto set = program_.set_constants(std::as_bytes(std::span(&places, 1))); !set) return set;
    if (auto resized = program_.resize("cpus", possible_cpus()); !resized) return resized;
    if (auto loaded = program_.load(); !loaded) return loaded;
    if (auto attached = program_.attach({"on_fork", "on_exit", "on_switch"}); !attached) {
        return attached;
    }
    look_fd_ = program_.program_fd("look");
    note_fd_ = program_.program_fd("note_counters");
    members_fd_ = program_.table_fd("members");
    return {};
}

Result<void> StealTracer::map_tables() {
    const std::size_t cpu_count = possible_cpus();
    auto groups = program_.map("groups", sizeof(steal_group), STEAL_GROUPS);
    if (!groups) return groups.error();
    auto cpus = program_.map("cpus", sizeof(steal_cpu), cpu_count);
    if (!cpus) return cpus.error();
    group_memory_ = std::move(*groups);
    cpu_memory_ = std::move(*cpus);
    groups_ = {reinterpret_cast<steal_group*>(group_memory_.data()), STEAL_GROUPS};
    cpus_ = {reinterpret_cast<const steal_cpu*>(cpu_memory_.data()), cpu_count};
    used_.assign(STEAL_GROUPS, false);
    used_[0] = true;  // means "none"
    return {};
}

Result<StealGroup> StealTracer::make_group(Follow follow) {
    const std::lock_guard lock(mutex_);
    const auto free = std::find(used_.begin(), used_.end(), false);
    if (free == used_.end()) {
        return base::fail(ErrorCode::busy, "too many clocks are open at once");
    }
    const auto id = static_cast<std::uint32_t>(free - used_.begin());
    *free = true;
    groups_[id] = steal_group{};
    groups_[id].follow = static_cast<__u64>(follow);
    return StealGroup(shared_from_this(), id);
}

// False where the CPU is offline.
bool StealTracer::look_at(int cpu) const {
    return run_once(look_fd_, cpu).has_value();
}

// Brings the group's sums up to now: a look at the CPU we are on, where the caller may be a member,
// and at those that the table shows a member on.
void StealTracer::look_at_members(std::uint32_t group) const {
    const int own = ::sched_getcpu();
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
        const auto& on_it = cpus_[i].groups;
        const bool here = std::any_of(std::begin(on_it), std::end(on_it),
                                      [&](const __u32& id) { return peek(id) == group; });
        if (here || static_cast<int>(i) == own) look_at(static_cast<int>(i));
    }
}

Result<void> StealTracer::add(std::uint32_t group, pid_t tid) {
    const std::lock_guard lock(mutex_);
    steal_member member{};
    bpf_map_lookup_elem(members_fd_, &tid, &member);  // stays empty when it is no member yet
    auto* place = std::find(std::begin(member.groups), std::end(member.groups), group);
    if (place != std::end(member.groups)) return {};  // inherited a moment ago
    place = std::find(std::begin(member.groups), std::end(member.groups), 0u);
    if (place == std::end(member.groups)) {
        return base::fail(ErrorCode::busy,
                          "too many clocks follow thread " + std::to_string(tid) + " at once");
    }
    *place = group;
    member.seen = 0;  // what it ran before is not this group's
    if (bpf_map_update_elem(members_fd_, &tid, &member, BPF_ANY) != 0) {
        return base::fail_errno(errno, "cannot follow thread " + std::to_string(tid));
    }
    // A thread that ended before its row was written will not take the row away itself.
    if (::syscall(SYS_tkill, tid, 0) != 0 && errno == ESRCH) {
        bpf_map_delete_elem(members_fd_, &tid);
        return base::fail_errno(ESRCH, "cannot follow thread " + std::to_string(tid));
    }
    // If it runs right now, its interval begins now and not at its next switch.
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) look_at(static_cast<int>(cpu));
    return {};
}

std::vector<pid_t> StealTracer::followed_threads() const {
    std::vector<pid_t> tids;
    pid_t previous = 0;  // nobody's key: begins at the first
    pid_t next = 0;
    while (bpf_map_get_next_key(members_fd_, &previous, &next) == 0) {
        tids.push_back(next);
        previous = next;
    }
    return tids;
}

void StealTracer::remove(std::uint32_t group) {
    const std::lock_guard lock(mutex_);
    for (const pid_t tid : followed_threads()) {
        steal_member member{};
        if (bpf_map_lookup_elem(members_fd_, &tid, &member) != 0) continue;
        std::replace(std::begin(member.groups), std::end(member.groups), __u32{group}, __u32{0});
        member.seen = 0;  // it may have run since the row was read
        const bool empty = std::all_of(std::begin(member.groups), std::end(member.groups),
                                       [](__u32 id) { return id == 0; });
        if (empty) {
            bpf_map_delete_elem(members_fd_, &tid);
        } else {
            bpf_map_update_elem(members_fd_, &tid, &member, BPF_EXIST);
        }
    }
    look_at_members(group);  // a new interval no longer names the group
    used_[group] = false;
}

GroupTotals StealTracer::read(std::uint32_t group) {
    look_at_members(group);
    const steal_group& sums = groups_[group];
    return {peek(sums.steal_ns), peek(sums.occupied_ns), peek(sums.cpu_ns), peek(sums.intervals),
            peek(sums.uncertain_ns)};
}

Result<std::vector<CpuCounters>> StealTracer::read_cpus() {
    std::vector<CpuCounters> counters;
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
        const int cpu = static_cast<int>(i);
        if (!look_at(cpu)) continue;
        counters.push_back({cpu, static_cast<StealSource>(peek(cpus_[i].source)),
                            peek(cpus_[i].steal_ns), peek(cpus_[i].subtracted_ns)});
    }
    if (counters.empty()) {
        return base::fail(ErrorCode::unsupported, "the kernel cannot run BPF programs on demand",
                          "this needs Linux 5.12 or later");
    }
    return counters;
}

Result<void> StealTracer::note_cpus() const {
    if (cpus_.size() > STEAL_CPUS_AT_ONCE) {
        return base::fail(ErrorCode::unsupported, "too many CPUs to read at once");
    }
    bpf_test_run_opts options{};
    options.sz = sizeof options;
    const int error = bpf_prog_test_run_opts(note_fd_, &options);
    if (error != 0) return base::fail_errno(-error, "cannot read the CPUs' steal counters");
    return {};
}

std::optional<std::uint64_t> StealTracer::steal_of(int cpu) const {
    const steal_cpu& row = cpus_[static_cast<std::size_t>(cpu)];
    if (peek(row.counter) == 0) return std::nullopt;
    return peek(row.steal_ns);
}

StealGroup::StealGroup(StealGroup&& other) noexcept
    : tracer_(std::move(other.tracer_)), id_(other.id_) {}

StealGroup::~StealGroup() {
    if (tracer_) tracer_->remove(id_);
}

Result<void> StealGroup::add(pid_t tid) {
    return tracer_->add(id_, tid);
}

GroupTotals StealGroup::read() const {
    return tracer_->read(id_);
}

}  // namespace ringside::bpf
