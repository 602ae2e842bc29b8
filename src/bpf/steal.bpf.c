/* Charges a CPU's stolen time to the threads that were on it: at every context switch the
 * hypervisor's own counter for this CPU is read, and what it grew by since the thread came on is
 * the thread's. Exact to the nanosecond, and right whether or not the kernel's CPU time already
 * excludes steal. Runs on kernels from 5.12, arm64 from 5.18 (atomic exchange). */

/* clang-format off */
#include <linux/bpf.h>  /* first: libbpf's headers need its types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
/* clang-format on */

#include "bpf/steal_counter.bpf.h"
#include "bpf/steal_layout.h"

char licence_text[] SEC("license") = "Dual MIT/GPL";

/* The members used of the kernel's structs; offsets are relocated when the program is loaded. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct rq {
    __u64 clock;
    __u64 prev_steal_time_rq;
};
struct cfs_rq {
    struct rq* rq;
};
struct sched_entity {
    __u64 sum_exec_runtime;
    __u64 prev_sum_exec_runtime;
    struct cfs_rq* cfs_rq;
};
struct sched_info {
    __u64 last_arrival;
};
struct task_struct {
    int pid;
    int tgid;
    struct sched_entity se;
    struct sched_info sched_info;
};
#pragma clang attribute pop

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, STEAL_GROUPS);
    __type(key, __u32);
    __type(value, struct steal_group);
} groups SEC(".maps");

/* Indexed by CPU; resized to the number of possible CPUs before loading. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct steal_cpu);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, STEAL_THREADS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, __u32);
    __type(value, struct steal_member);
} members SEC(".maps");

static struct steal_cpu* this_cpu(const struct task_struct* on_it) {
    __u32 key = bpf_get_smp_processor_id();
    struct steal_cpu* cpu = bpf_map_lookup_elem(&cpus, &key);
    if (cpu && cpu->counter == 0)
        cpu->counter = find_steal_counter((__u64)on_it->se.cfs_rq->rq, &cpu->source);
    return cpu && cpu->counter ? cpu : 0;
}

/* What a thread ran since it was seen last: the switch that took it away was not, nor was the next
 * thread's that came, or the interval would still be open. */
static void charge_unseen(const struct steal_member* member, __u64 runtime_ns) {
    __u64 unseen = runtime_ns - member->runtime_ns;
    if (!member->seen || (__s64)unseen <= 0) return;
    for (int i = 0; i < STEAL_GROUPS_OF_THREAD; i++) {
        __u32 id = member->groups[i];
        struct steal_group* group = id ? bpf_map_lookup_elem(&groups, &id) : 0;
        if (!group) continue;
        __sync_fetch_and_add(&group->occupied_ns, unseen);
        __sync_fetch_and_add(&group->cpu_ns, unseen);
        __sync_fetch_and_add(&group->uncertain_ns, unseen);
    }
}

static void note_runtime(__u32 tid, __u64 runtime_ns) {
    struct steal_member* member = bpf_map_lookup_elem(&members, &tid);
    if (!member) return;
    member->runtime_ns = runtime_ns;
    member->seen = 1;
}

/* The interval is that of a thread whose runtime was so much when it began. */
static void load_groups(struct steal_cpu* cpu, __u32 tid, __u64 runtime_ns) {
    struct steal_member* member = tid ? bpf_map_lookup_elem(&members, &tid) : 0;
    cpu->start_runtime_ns = runtime_ns;
    for (int i = 0; i < STEAL_GROUPS_OF_THREAD; i++)
        cpu->groups[i] = member ? member->groups[i] : 0;
    if (!member) return;
    charge_unseen(member, runtime_ns);
    note_runtime(tid, runtime_ns);
}

/* The switch that brought `task` here was not seen; the scheduler knows when it was. */
static void begin_late(struct steal_cpu* cpu, const struct task_struct* task, __u64 now_ns) {
    __u64 on_cpu_ns = task->se.cfs_rq->rq->clock - task->sched_info.last_arrival;
    if (now_ns - cpu->start_ns > on_cpu_ns) cpu->start_ns = now_ns - on_cpu_ns;
    load_groups(cpu, task->pid, task->se.prev_sum_exec_runtime);
}

/* The exchange decides who closes: a look from an interrupt can fall into another look. */
static void close_interval(struct steal_cpu* cpu, const struct task_struct* task, __u64 now_ns,
                           __u64 steal_now_ns) {
    if (__sync_lock_test_and_set(&cpu->open, 0) == 0) return;
    int late = cpu->tid != task->pid;
    if (late) begin_late(cpu, task, now_ns);
    __u64 occupied = now_ns - cpu->start_ns;
    __u64 steal = steal_now_ns - cpu->start_steal_ns;
    __u64 runtime = task->se.sum_exec_runtime - cpu->start_runtime_ns;
    __u32 any = 0;
    if ((__s64)steal < 0) steal = 0;
    if (steal > occupied) steal = occupied;
    if ((__s64)runtime < 0) runtime = 0;
    for (int i = 0; i < STEAL_GROUPS_OF_THREAD; i++) {
        __u32 id = cpu->groups[i];
        struct steal_group* group = id ? bpf_map_lookup_elem(&groups, &id) : 0;
        if (!group) continue;
        any = 1;
        __sync_fetch_and_add(&group->steal_ns, steal);
        __sync_fetch_and_add(&group->occupied_ns, occupied);
        __sync_fetch_and_add(&group->cpu_ns, runtime);
        __sync_fetch_and_add(&group->intervals, 1);
        if (late) __sync_fetch_and_add(&group->uncertain_ns, steal);
    }
    if (!any) return;
    /* The sum of a thread that goes on running is as old as the last tick. */
    if (runtime < occupied - steal) runtime = occupied - steal;
    note_runtime(task->pid, cpu->start_runtime_ns + runtime);
}

static void open_interval(struct steal_cpu* cpu, const struct task_struct* task, __u64 now_ns,
                          __u64 steal_now_ns) {
    cpu->tid = task->pid;
    cpu->start_ns = now_ns;
    cpu->start_steal_ns = steal_now_ns;
    load_groups(cpu, task->pid, task->se.sum_exec_runtime);
    __sync_lock_test_and_set(&cpu->open, 1);
}

static void look_at_current(struct steal_cpu* cpu, const struct task_struct* task) {
    __u64 steal_ns = read_word(cpu->counter);
    __u64 now_ns = bpf_ktime_get_ns();
    close_interval(cpu, task, now_ns, steal_ns);
    open_interval(cpu, task, now_ns, steal_ns);
    cpu->steal_ns = steal_ns;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct* prev, struct task_struct* next) {
    struct steal_cpu* cpu = this_cpu(prev);
    if (!cpu) return 0;
    __u64 steal_ns = read_word(cpu->counter);
    __u64 now_ns = bpf_ktime_get_ns();
    close_interval(cpu, prev, now_ns, steal_ns);
    open_interval(cpu, next, now_ns, steal_ns);
    return 0;
}

/* The thread that forks is `parent`; a new thread shares its tgid, a new process does not. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
    __u32 from = parent->pid;
    __u32 to = child->pid;
    __u32 wanted = parent->tgid == child->tgid ? FOLLOW_THREADS : FOLLOW_CHILDREN;
    struct steal_member* member = bpf_map_lookup_elem(&members, &from);
    struct steal_member made = {.seen = 1}; /* with no runtime yet */
    __u32 any = 0;
    for (int i = 0; member && i < STEAL_GROUPS_OF_THREAD; i++) {
        __u32 id = member->groups[i];
        struct steal_group* group = id ? bpf_map_lookup_elem(&groups, &id) : 0;
        if (!group || group->follow < wanted) continue;
        made.groups[i] = id;
        any = 1;
    }
    if (any)
        bpf_map_update_elem(&members, &to, &made, BPF_ANY);
    else
        bpf_map_delete_elem(&members, &to); /* left by an earlier owner of the number */
    return 0;
}

/* The rest, from here to the thread's last switch, is an interval that keeps its groups; it is lost
 * if that switch is not seen. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
    __u32 tid = task->pid;
    struct steal_cpu* cpu = this_cpu(task);
    if (cpu) look_at_current(cpu, task);
    bpf_map_delete_elem(&members, &tid);
    return 0;
}

/* Run from user space on the CPU of its choice (BPF_F_TEST_RUN_ON_CPU): brings the sums up to now,
 * begins the interval of a thread that became a member while running, and notes this CPU's own
 * counters. A vCPU that is preempted gets here once it runs again, so its steal is then known. */
SEC("raw_tp/look")
int look(void* context) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct steal_cpu* cpu = this_cpu(task);
    if (!cpu) return 0;
    look_at_current(cpu, task);
    struct rq* run_queue = task->se.cfs_rq->rq;
    if (bpf_core_field_exists(run_queue->prev_steal_time_rq))
        cpu->subtracted_ns = run_queue->prev_steal_time_rq;
    return 0;
}

/* Run from user space, wherever the caller is: notes every CPU's counter as the hypervisor left it.
 * A vCPU that is preempted at this moment is charged for that when it runs again. */
SEC("raw_tp/note_counters")
int note_counters(void* context) {
    for (__u32 i = 0; i < STEAL_CPUS_AT_ONCE; i++) {
        __u32 key = i;
        struct steal_cpu* cpu = bpf_map_lookup_elem(&cpus, &key);
        if (!cpu) break;
        if (cpu->counter) cpu->steal_ns = read_word(cpu->counter);
    }
    return 0;
}
