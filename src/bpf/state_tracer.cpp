#include "bpf/state_tracer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include <bpf/bpf.h>
#include <sched.h>

#include "base/clock.h"
#include "base/error.h"
#include "bpf/objects.h"
#include "bpf/states_layout.h"
#include "proc/task.h"

namespace ringside::bpf {

namespace {

std::string name_of(pid_t tid) {
    return "thread " + std::to_string(tid);
}

Result<states_sum> read_state(const base::SysRoot& root, pid_t tid) {
    const auto stat = proc::read_thread_stat(root, tid);
    switch (stat ? stat->state : 'X') {
        case 'R':
            return STATES_WAITING;  // a look at its CPU will tell if it has one
        case 'D':
            return STATES_BLOCKED;
        case 'T':
        case 't':
            return STATES_STOPPED;
        case 'X':
        case 'Z':
            return base::fail_errno(ESRCH, "cannot follow " + name_of(tid));
        default:
            return STATES_SLEEPING;
    }
}

}  // namespace

Result<std::shared_ptr<StateTracer>> StateTracer::load(const base::SysRoot& root,
                                                       bool with_faults) {
    if (auto same = check_thread_ids(root); !same) return same.error();
    std::shared_ptr<StateTracer> tracer(new StateTracer(root, with_faults));
    if (auto attached = tracer->attach(); !attached) return attached.error();
    if (auto mapped = tracer->map_tables(); !mapped) return mapped.error();
    return tracer;
}

Result<void> StateTracer::attach() {
    auto program = Program::open(states_object());
    if (!program) return program.error();
    program_ = std::move(*program);
    if (auto resized = program_.resize("cpus", possible_cpus()); !resized) return resized;
    for (const char* fault : {"on_fault", "on_fault_end"}) {
        if (with_faults_) continue;
        if (auto left = program_.leave_out(fault); !left) return left;
    }
    if (auto loaded = program_.load(); !loaded) return loaded;
    auto attached = program_.attach({"on_fork", "on_exec", "on_wakeup", "on_switch"});
    if (attached && with_faults_) attached = program_.attach({"on_fault", "on_fault_end"});
    if (!attached) return attached;
    threads_fd_ = program_.table_fd("threads");
    look_fd_ = program_.program_fd("look");
    settle_fd_ = program_.program_fd("settle");
    join_fd_ = program_.program_fd("join");
    leave_fd_ = program_.program_fd("leave");
    return {};
}

Result<void> StateTracer::map_tables() {
    auto groups = program_.map("groups", sizeof(states_group), STATES_GROUPS);
    if (!groups) return groups.error();
    auto cpus = program_.map("cpus", sizeof(states_cpu), possible_cpus());
    if (!cpus) return cpus.error();
    group_memory_ = std::move(*groups);
    cpu_memory_ = std::move(*cpus);
    groups_ = {reinterpret_cast<states_group*>(group_memory_.data()), STATES_GROUPS};
    cpus_ = {reinterpret_cast<const states_cpu*>(cpu_memory_.data()), possible_cpus()};
    used_.assign(STATES_GROUPS, false);
    used_[0] = true;  // means "none"
    return {};
}

Result<StateGroup> StateTracer::make_group(Follow follow) {
    const std::lock_guard lock(mutex_);
    const auto free = std::find(used_.begin(), used_.end(), false);
    if (free == used_.end()) {
        return base::fail(ErrorCode::busy, "too many time budgets are open at once");
    }
    const auto id = static_cast<std::uint32_t>(free - used_.begin());
    *free = true;
    groups_[id] = states_group{};
    groups_[id].follow = static_cast<__u64>(follow);
    return StateGroup(shared_from_this(), id, follow);
}

// Running threads are brought up to now by a look at their CPU: the one we are on, where the
// caller may be a member, and those that the table shows a member on.
void StateTracer::look_at_members() const {
    const int own = ::sched_getcpu();
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
        const int cpu = static_cast<int>(i);
        if (cpu == own || peek(cpus_[i].member) != 0) run_once(look_fd_, cpu);
    }
}

// The row comes first and says that its state is unknown; every change after that is seen by the
// program. So what /proc says then still holds when join() finds the state unknown.
Result<void> StateTracer::add(std::uint32_t group, pid_t tid) {
    const std::lock_guard lock(mutex_);
    states_thread row{};
    row.since_ns = base::now_ns();  // what bpf_ktime_get_ns() reads
    row.state = STATES_UNKNOWN;
    const bool made = bpf_map_update_elem(threads_fd_, &tid, &row, BPF_NOEXIST) == 0;
    if (!made && errno != EEXIST) return base::fail_errno(errno, "cannot follow " + name_of(tid));
    const auto state = read_state(root_, tid);
    if (!state) {
        if (made) bpf_map_delete_elem(threads_fd_, &tid);
        return state.error();
    }
    const std::array<std::uint64_t, 3> arguments{static_cast<std::uint64_t>(tid), group,
                                                 static_cast<std::uint64_t>(*state)};
    // It may run on any CPU: what is charged so far is not the new group's.
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) run_once(look_fd_, static_cast<int>(cpu));
    const auto joined = run_once(join_fd_, on_own_cpu, arguments);
    if (joined == STATES_JOINED) return {};
    if (joined == STATES_FULL) {
        return base::fail(ErrorCode::busy, "too many time budgets follow " + name_of(tid));
    }
    if (joined == STATES_GONE) return base::fail_errno(ESRCH, "cannot follow " + name_of(tid));
    return base::fail(ErrorCode::unsupported, "the kernel cannot run BPF programs on demand",
                      "this needs Linux 5.13 or later");
}

void StateTracer::remove(std::uint32_t group) {
    const std::lock_guard lock(mutex_);
    run_once(leave_fd_, on_own_cpu, std::array<std::uint64_t, 1>{group});
    used_[group] = false;
}

StateTotals StateTracer::read(std::uint32_t group, pid_t only) const {
    look_at_members();  // first: a member whose arrival on its CPU was not seen is found running
    run_once(settle_fd_, on_own_cpu,
             std::array<std::uint64_t, 1>{static_cast<std::uint64_t>(only)});
    std::array<std::uint64_t, STATES_SUMS> sums{};
    std::transform(std::begin(groups_[group].sums), std::end(groups_[group].sums), sums.begin(),
                   [](const __u64& sum) { return peek(sum); });
    return {sums[STATES_RUNNING],      sums[STATES_WAITING],      sums[STATES_IO],
            sums[STATES_BLOCKED],      sums[STATES_PAGING],       sums[STATES_SLEEPING],
            sums[STATES_STOPPED],      sums[STATES_UNSEEN],       sums[STATES_USER_TICKS],
            sums[STATES_SYSTEM_TICKS], sums[STATES_FAULT_CPU],    sums[STATES_MINOR_FAULTS],
            sums[STATES_MAJOR_FAULTS], sums[STATES_THREADS_SEEN], sums[STATES_SWAPIN],
            sums[STATES_THRASHING],    sums[STATES_RECLAIM],      sums[STATES_COMPACT],
            sums[STATES_WPCOPY]};
}

StateGroup::StateGroup(StateGroup&& other) noexcept
    : tracer_(std::move(other.tracer_)),
      id_(other.id_),
      follow_(other.follow_),
      only_(other.only_) {}

StateGroup::~StateGroup() {
    if (tracer_) tracer_->remove(id_);
}

Result<void> StateGroup::add(pid_t tid) {
    only_ = only_ == 0 ? tid : several;
    return tracer_->add(id_, tid);
}

StateTotals StateGroup::read() const {
    const bool one = follow_ == Follow::none && only_ != several;
    return tracer_->read(id_, one ? only_ : 0);
}

}  // namespace ringside::bpf
