/* Follows threads through the states of the scheduler: on a CPU, waiting for one, blocked,
 * sleeping. At every context switch and wakeup the time since the last one is charged to the groups
 * of the thread, so that a group's sums are the whole lifetime of its members, cut into states.
 * Runs on kernels from 5.13 (bpf_for_each_map_elem), arm64 from 5.18 (atomic exchange). */

/* clang-format off */
#include <linux/bpf.h>  /* first: libbpf's headers need its types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
/* clang-format on */

#include "bpf/states_layout.h"

char licence_text[] SEC("license") = "Dual MIT/GPL";

/* linux/sched.h */
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED_OR_TRACED 0x000c
#define TASK_DEAD 0x0080
#define TASK_WAKING 0x0200
#define TASK_NOLOAD 0x0400
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FROZEN 0x8000

/* The members used of the kernel's structs; offsets are relocated when the program is loaded. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct sched_entity {
    __u64 sum_exec_runtime;
};
struct sched_info {
    unsigned long long run_delay;
};
struct task_delay_info {
    __u64 swapin_delay;
    __u64 thrashing_delay;
    __u64 freepages_delay;
    __u64 compact_delay;
    __u64 wpcopy_delay;
};
struct task_struct {
    unsigned int __state;
    int on_cpu;
    int pid;
    int tgid;
    unsigned in_iowait : 1;
    __u64 utime;
    __u64 stime;
    unsigned long min_flt;
    unsigned long maj_flt;
    struct sched_entity se;
    struct sched_info sched_info;
    struct task_delay_info* delays;
};
struct task_struct___before_5_14 {
    long state;
};
#pragma clang attribute pop

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, STATES_GROUPS);
    __type(key, __u32);
    __type(value, struct states_group);
} groups SEC(".maps");

/* Indexed by CPU; resized to the number of possible CPUs before loading. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct states_cpu);
} cpus SEC(".maps");

/* Only the programs below change a row; user space makes new ones and has join() do the rest. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, STATES_THREADS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, __u32);
    __type(value, struct states_thread);
} threads SEC(".maps");

static struct states_thread* find_thread(__u32 tid) {
    return tid ? bpf_map_lookup_elem(&threads, &tid) : 0;
}

static void add(const struct states_thread* row, __u32 sum, __u64 amount) {
    if (sum >= STATES_SUMS) return;
    for (int i = 0; i < STATES_GROUPS_OF_THREAD; i++) {
        __u32 id = row->groups[i];
        struct states_group* group = id ? bpf_map_lookup_elem(&groups, &id) : 0;
        if (group) __sync_fetch_and_add(&group->sums[sum], amount);
    }
}

/* Clocks of several sources can step back a little; sums never do. */
static void charge(const struct states_thread* row, __u32 sum, __u64 amount) {
    if ((__s64)amount > 0) add(row, sum, amount);
}

/* The time since the row was last charged. The exchange decides who charges it: a look from an
 * interrupt can fall into another look. */
static __u64 take_interval(struct states_thread* row, __u64 now_ns) {
    __u64 since_ns = __sync_lock_test_and_set(&row->since_ns, now_ns);
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

static void read_delays(const struct task_struct* task, __u64* delays_ns) {
    const struct task_delay_info* delays = 0;
    if (bpf_core_field_exists(task->delays)) delays = task->delays;
    if (!delays) return;
    delays_ns[STATES_SWAPIN - STATES_DELAYS] = delays->swapin_delay;
    delays_ns[STATES_RECLAIM - STATES_DELAYS] = delays->freepages_delay;
    if (bpf_core_field_exists(delays->thrashing_delay))
        delays_ns[STATES_THRASHING - STATES_DELAYS] = delays->thrashing_delay;
    if (bpf_core_field_exists(delays->compact_delay))
        delays_ns[STATES_COMPACT - STATES_DELAYS] = delays->compact_delay;
    if (bpf_core_field_exists(delays->wpcopy_delay))
        delays_ns[STATES_WPCOPY - STATES_DELAYS] = delays->wpcopy_delay;
}

static void read_usage(const struct task_struct* task, struct states_usage* usage) {
    usage->user_ns = task->utime;
    usage->system_ns = task->stime;
    usage->minor_faults = task->min_flt;
    usage->major_faults = task->maj_flt;
    usage->run_delay_ns = task->sched_info.run_delay;
    usage->runtime_ns = task->se.sum_exec_runtime;
    read_delays(task, usage->delays_ns);
}

/* What it used before it was followed is not ours. */
static void begin_usage(struct states_thread* row, const struct task_struct* task) {
    if (row->usage.runtime_ns == 0) read_usage(task, &row->usage);
}

/* What the thread used since it was last seen; called whenever it leaves a CPU. */
static void charge_usage(struct states_thread* row, const struct task_struct* task) {
    struct states_usage now = {};
    read_usage(task, &now);
    const struct states_usage* before = &row->usage;
    charge(row, STATES_USER_TICKS, now.user_ns - before->user_ns);
    charge(row, STATES_SYSTEM_TICKS, now.system_ns - before->system_ns);
    charge(row, STATES_MINOR_FAULTS, now.minor_faults - before->minor_faults);
    charge(row, STATES_MAJOR_FAULTS, now.major_faults - before->major_faults);
    for (int i = 0; i < STATES_DELAY_COUNT; i++)
        charge(row, STATES_DELAYS + i, now.delays_ns[i] - before->delays_ns[i]);
    /* It came back from I/O and counted a major fault: the fault had been waiting for that. */
    if (now.major_faults != before->major_faults && row->blocked_ns) {
        add(row, STATES_PAGING, row->blocked_ns);
        add(row, row->blocked_as, -row->blocked_ns);
    }
    row->blocked_ns = 0;
    row->usage = now;
}

static void pause_fault(struct states_thread* row, __u64 now_ns) {
    if (row->fault_since_ns) charge(row, STATES_FAULT_CPU, now_ns - row->fault_since_ns);
    row->fault_since_ns = 0;
}

/* A switch was not seen: some kernels hide those of certain threads. The scheduler's own sums say
 * how long it ran and waited meanwhile; the rest nobody knows. */
static void charge_unseen(struct states_thread* row, const struct task_struct* task, __u64 now_ns) {
    __u64 length = take_interval(row, now_ns);
    __u64 waited = task->sched_info.run_delay - row->usage.run_delay_ns;
    __u64 ran = task->se.sum_exec_runtime - row->usage.runtime_ns;
    if (ran > length) ran = length;
    if (waited > length - ran) waited = length - ran;
    charge(row, STATES_RUNNING, ran);
    charge(row, STATES_WAITING, waited);
    charge(row, STATES_UNSEEN, length - waited - ran);
}

static __u32 state_of(const struct task_struct* task) {
    if (bpf_core_field_exists(task->__state)) return task->__state;
    return (__u32)((const struct task_struct___before_5_14*)task)->state;
}

/* The state that a thread goes into as it leaves the CPU; STATES_COUNT if it is dead. */
static __u32 next_state(const struct states_thread* row, const struct task_struct* task,
                        _Bool preempted) {
    __u32 state = state_of(task);
    if (preempted || state == 0 || (state & TASK_WAKING)) return STATES_WAITING;
    if (state & TASK_DEAD) return STATES_COUNT;
    _Bool io = BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait);
    _Bool deep = (state & (TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT)) && !(state & TASK_NOLOAD);
    if ((io || deep) && row->in_fault) return STATES_PAGING;
    if (io) return STATES_IO;
    if (state & (TASK_STOPPED_OR_TRACED | TASK_FROZEN)) return STATES_STOPPED;
    return deep ? STATES_BLOCKED : STATES_SLEEPING;
}

/* The time since the last look at a thread that is on a CPU now, and what it used there. */
static void charge_run(struct states_thread* row, const struct task_struct* task,
                       _Bool arrival_seen, __u64 now_ns) {
    begin_usage(row, task);
    if (row->state == STATES_UNKNOWN || (arrival_seen && row->state == STATES_RUNNING))
        charge(row, STATES_RUNNING, take_interval(row, now_ns));
    else
        charge_unseen(row, task, now_ns);
    charge_usage(row, task);
}

static void leave_cpu(struct states_thread* row, const struct task_struct* task, _Bool preempted,
                      _Bool arrival_seen, __u64 now_ns) {
    __u32 tid = task->pid;
    charge_run(row, task, arrival_seen, now_ns);
    pause_fault(row, now_ns);
    row->state = next_state(row, task, preempted);
    if (row->state == STATES_COUNT) bpf_map_delete_elem(&threads, &tid);
}

/* Remembers how long it was blocked, for the fault that may turn out to be the reason. */
static void charge_off_cpu(struct states_thread* row, __u64 length) {
    charge(row, row->state, length);
    if (row->state != STATES_IO && row->state != STATES_BLOCKED) return;
    if (row->blocked_as != row->state) row->blocked_ns = 0;
    row->blocked_as = row->state;
    row->blocked_ns += length;
}

static void arrive_on_cpu(struct states_thread* row, const struct task_struct* task, __u64 now_ns) {
    __u64 waited = 0;
    if (row->state == STATES_RUNNING) {
        charge_unseen(row, task, now_ns);
    } else {
        waited = take_interval(row, now_ns);
        if (row->state == STATES_UNKNOWN)
            charge(row, STATES_WAITING, waited);
        else
            charge_off_cpu(row, waited);
    }
    begin_usage(row, task);
    row->usage.runtime_ns = task->se.sum_exec_runtime;
    /* The scheduler adds this wait a moment after this tracepoint. */
    row->usage.run_delay_ns = task->sched_info.run_delay + waited;
    row->state = STATES_RUNNING;
    if (row->in_fault) row->fault_since_ns = now_ns;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct* prev, struct task_struct* next) {
    __u32 key = bpf_get_smp_processor_id();
    struct states_cpu* cpu = bpf_map_lookup_elem(&cpus, &key);
    if (!cpu) return 0;
    __u64 now_ns = bpf_ktime_get_ns();
    struct states_thread* row = find_thread(prev->pid);
    if (row) leave_cpu(row, prev, preempt, cpu->tid == prev->pid, now_ns);
    row = find_thread(next->pid);
    if (row) arrive_on_cpu(row, next, now_ns);
    cpu->tid = next->pid;
    cpu->member = row != 0;
    return 0;
}

/* Comes after the switch that took the thread off its CPU, whoever wakes it. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct* task) {
    struct states_thread* row = find_thread(task->pid);
    if (!row || row->state == STATES_WAITING) return 0;
    if (row->state == STATES_RUNNING && task->on_cpu) return 0; /* woken before it slept */
    __u64 now_ns = bpf_ktime_get_ns();
    if (row->state == STATES_RUNNING)
        charge_unseen(row, task, now_ns);
    else if (row->state == STATES_UNKNOWN)
        charge(row, STATES_UNSEEN, take_interval(row, now_ns));
    else
        charge_off_cpu(row, take_interval(row, now_ns));
    row->state = STATES_WAITING;
    return 0;
}

/* The thread that forks is `parent`; a new thread shares its tgid, a new process does not. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
    __u32 tid = child->pid;
    __u32 wanted = parent->tgid == child->tgid ? FOLLOW_THREADS : FOLLOW_CHILDREN;
    struct states_thread* from = find_thread(parent->pid);
    struct states_thread made = {};
    __u32 any = 0;
    for (int i = 0; from && i < STATES_GROUPS_OF_THREAD; i++) {
        __u32 id = from->groups[i];
        struct states_group* group = id ? bpf_map_lookup_elem(&groups, &id) : 0;
        if (!group || group->follow < wanted) continue;
        made.groups[i] = id;
        any = 1;
    }
    if (!any) {
        if (find_thread(tid)) bpf_map_delete_elem(&threads, &tid); /* an earlier owner's */
        return 0;
    }
    made.since_ns = bpf_ktime_get_ns();
    made.state = STATES_WAITING;
    long failed = bpf_map_update_elem(&threads, &tid, &made, BPF_ANY);
    charge(&made, failed ? STATES_THREADS_LOST : STATES_THREADS_SEEN, 1);
    return 0;
}

/* A thread that executes a program in place of its whole process takes over the leader's number. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task, int old_tid) {
    __u32 from = old_tid;
    __u32 to = task->pid;
    struct states_thread* row = from == to ? 0 : find_thread(from);
    if (!row) return 0;
    bpf_map_update_elem(&threads, &to, row, BPF_ANY);
    bpf_map_delete_elem(&threads, &from);
    __u32 key = bpf_get_smp_processor_id();
    struct states_cpu* cpu = bpf_map_lookup_elem(&cpus, &key);
    if (cpu) cpu->tid = to;
    return 0;
}

/* Attached only where faults shall be timed: every page fault of the machine pays for it. */
SEC("fentry/handle_mm_fault")
int BPF_PROG(on_fault) {
    struct states_thread* row = find_thread((__u32)bpf_get_current_pid_tgid());
    if (!row) return 0;
    row->in_fault = 1;
    row->fault_since_ns = bpf_ktime_get_ns();
    return 0;
}

SEC("fexit/handle_mm_fault")
int BPF_PROG(on_fault_end) {
    struct states_thread* row = find_thread((__u32)bpf_get_current_pid_tgid());
    if (!row || !row->in_fault) return 0;
    pause_fault(row, bpf_ktime_get_ns());
    row->in_fault = 0;
    return 0;
}

/* The rest is run from user space, on demand. */

/* On the CPU of choice (BPF_F_TEST_RUN_ON_CPU): brings the sums of the thread on it up to now. */
SEC("raw_tp/look")
int look(void* context) {
    struct task_struct* task = bpf_get_current_task_btf();
    __u32 key = bpf_get_smp_processor_id();
    struct states_cpu* cpu = bpf_map_lookup_elem(&cpus, &key);
    struct states_thread* row = find_thread(task->pid);
    if (cpu) {
        cpu->tid = task->pid;
        cpu->member = row != 0;
    }
    if (!row) return 0;
    charge_run(row, task, 1, bpf_ktime_get_ns());
    row->state = STATES_RUNNING;
    return 0;
}

static void settle_row(struct states_thread* row, __u64 now_ns) {
    if (row->state < STATES_COUNT && row->state != STATES_RUNNING)
        charge_off_cpu(row, take_interval(row, now_ns));
}

static long settle_each(void* map, const __u32* tid, struct states_thread* row, void* now_ns) {
    settle_row(row, *(__u64*)now_ns);
    return 0;
}

/* Brings the sums of threads that are on no CPU up to now. Argument: one thread, or 0 for all. */
SEC("raw_tp/settle")
int settle(struct bpf_raw_tracepoint_args* context) {
    __u64 now_ns = bpf_ktime_get_ns();
    __u32 tid = context->args[0];
    struct states_thread* row = find_thread(tid);
    if (row) settle_row(row, now_ns);
    if (tid == 0) bpf_for_each_map_elem(&threads, settle_each, &now_ns, 0);
    return 0;
}

/* Arguments: thread, group, the state it is in if that is not known yet. */
SEC("raw_tp/join")
int join(struct bpf_raw_tracepoint_args* context) {
    __u32 group = context->args[1];
    struct states_thread* row = find_thread(context->args[0]);
    if (!row) return STATES_GONE;
    if (row->state == STATES_UNKNOWN) row->state = context->args[2];
    settle_row(row, bpf_ktime_get_ns()); /* what was before is not the new group's */
    row->blocked_ns = 0;
    for (int i = 0; i < STATES_GROUPS_OF_THREAD; i++)
        if (row->groups[i] == group) return STATES_JOINED; /* inherited a moment ago */
    for (int i = 0; i < STATES_GROUPS_OF_THREAD; i++) {
        if (row->groups[i]) continue;
        row->groups[i] = group;
        struct states_group* sums = bpf_map_lookup_elem(&groups, &group);
        if (sums) __sync_fetch_and_add(&sums->sums[STATES_THREADS_SEEN], 1);
        return STATES_JOINED;
    }
    return STATES_FULL;
}

static long leave_each(void* map, const __u32* tid, struct states_thread* row, void* group) {
    __u32 left = 0;
    __u32 key = *tid;
    for (int i = 0; i < STATES_GROUPS_OF_THREAD; i++) {
        if (row->groups[i] == *(__u32*)group) row->groups[i] = 0;
        if (row->groups[i]) left = 1;
    }
    if (!left) bpf_map_delete_elem(&threads, &key);
    return 0;
}

/* Argument: the group that all its members leave. */
SEC("raw_tp/leave")
int leave(struct bpf_raw_tracepoint_args* context) {
    __u32 group = context->args[0];
    bpf_for_each_map_elem(&threads, leave_each, &group, 0);
    return 0;
}
