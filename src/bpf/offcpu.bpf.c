/* Where threads wait, and for how long: at every context switch the stack of the thread that leaves
 * is noted, and when it comes back the time between is added to that stack. Stolen time, in which a
 * thread is on a CPU that does not run, is kept apart. Runs on kernels from 5.11. */

/* clang-format off */
#include <linux/bpf.h>  /* first: libbpf's headers need its types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
/* clang-format on */

#include "bpf/offcpu_layout.h"
#include "bpf/steal_counter.bpf.h"

char licence_text[] SEC("license") = "Dual MIT/GPL";

/* What the stack has on top at a tracepoint: this program, bpf_trace_run4() and the tracepoint's
 * own function. Below is __schedule(). */
#define OWN_FRAMES 3

/* linux/sched.h */
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_DEAD 0x0080
#define TASK_NOLOAD 0x0400

/* The members used of the kernel's structs; offsets are relocated when the program is loaded. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct rq {
    __u64 clock;
};
struct cfs_rq {
    struct rq* rq;
};
struct sched_entity {
    struct cfs_rq* cfs_rq;
};
struct task_struct {
    unsigned int __state;
    int pid;
    int tgid;
    unsigned in_iowait : 1;
    struct sched_entity se;
};
struct task_struct___before_5_14 {
    long state;
};
#pragma clang attribute pop

const volatile struct offcpu_options options = {};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, OFFCPU_THREADS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, __u32);
    __type(value, __u32);
} members SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, OFFCPU_THREADS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, __u32);
    __type(value, struct offcpu_thread);
} waiting SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, OFFCPU_SUMS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct offcpu_key);
    __type(value, struct offcpu_sum);
} sums SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_STACK_TRACE);
    __uint(max_entries, OFFCPU_STACKS);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, OFFCPU_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

/* Indexed by CPU; resized to the number of possible CPUs before loading. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct offcpu_cpu);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, OFFCPU_LOSSES);
    __type(key, __u32);
    __type(value, __u64);
} losses SEC(".maps");

static int is_followed(__u32 tid) {
    return tid != 0 && (options.all || bpf_map_lookup_elem(&members, &tid));
}

static void count_loss(void) {
    __u32 key = OFFCPU_NO_ROOM;
    __u64* count = bpf_map_lookup_elem(&losses, &key);
    if (count) __sync_fetch_and_add(count, 1);
}

static void add(const struct offcpu_key* key, __u64 ns) {
    if ((__s64)ns <= 0) return;
    struct offcpu_sum* sum = bpf_map_lookup_elem(&sums, key);
    if (!sum) {
        struct offcpu_sum first = {};
        if (bpf_map_update_elem(&sums, key, &first, BPF_NOEXIST) < 0) count_loss();
        sum = bpf_map_lookup_elem(&sums, key);
    }
    if (!sum) return;
    __sync_fetch_and_add(&sum->total_ns, ns);
    __sync_fetch_and_add(&sum->times, 1);
}

static void charge(__u32 tid, const struct offcpu_thread* row, __u64 now_ns) {
    struct offcpu_key key = {};
    key.pid = row->pid;
    key.tid = tid;
    key.user_stack = row->user_stack;
    key.kernel_stack = row->kernel_stack;
    key.kind = row->kind;
    add(&key, now_ns - row->since_ns);
}

static __u32 state_of(const struct task_struct* task) {
    if (bpf_core_field_exists(task->__state)) return task->__state;
    return (__u32)((const struct task_struct___before_5_14*)task)->state;
}

static __u32 kind_of(const struct task_struct* task, int preempted) {
    __u32 state = state_of(task);
    if (preempted || state == 0) return OFFCPU_WAITING;
    if (!(state & TASK_UNINTERRUPTIBLE) || (state & TASK_NOLOAD)) return OFFCPU_SLEEPING;
    return BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait) ? OFFCPU_IO : OFFCPU_BLOCKED;
}

/* What was stolen from this CPU since the thread came onto it. Where in its program that was cannot
 * be told, so it has no stack. */
static void charge_steal(const struct task_struct* prev, const struct task_struct* next) {
    __u32 number = bpf_get_smp_processor_id();
    struct offcpu_cpu* cpu = bpf_map_lookup_elem(&cpus, &number);
    if (!cpu) return;
    if (cpu->counter == 0)
        cpu->counter = find_steal_counter((__u64)prev->se.cfs_rq->rq, &cpu->source);
    if (cpu->counter == 0) return;
    __u64 steal_ns = read_word(cpu->counter);
    if (cpu->tid == (__u32)prev->pid && is_followed(prev->pid)) {
        struct offcpu_key key = {};
        key.pid = prev->tgid;
        key.tid = prev->pid;
        key.user_stack = key.kernel_stack = -1;
        key.kind = OFFCPU_STOLEN;
        add(&key, steal_ns - cpu->start_steal_ns);
    }
    cpu->tid = next->pid;
    cpu->start_steal_ns = steal_ns;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct* prev, struct task_struct* next) {
    __u64 now_ns = bpf_ktime_get_ns();
    __u32 comes = next->pid;
    __u32 leaves = prev->pid;
    charge_steal(prev, next);
    struct offcpu_thread* row = bpf_map_lookup_elem(&waiting, &comes);
    if (row) {
        charge(comes, row, now_ns);
        bpf_map_delete_elem(&waiting, &comes);
    }
    if (!is_followed(leaves) || (state_of(prev) & TASK_DEAD)) return 0;
    struct offcpu_thread left = {};
    left.since_ns = now_ns;
    left.pid = prev->tgid;
    left.kind = kind_of(prev, preempt);
    left.user_stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
    left.kernel_stack = bpf_get_stackid(ctx, &stacks, OWN_FRAMES);
    if (bpf_map_update_elem(&waiting, &leaves, &left, BPF_ANY) < 0) count_loss();
    return 0;
}

/* From here on it waits for a CPU, and for nothing else. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct* task) {
    __u32 tid = task->pid;
    struct offcpu_thread* row = bpf_map_lookup_elem(&waiting, &tid);
    if (!row || row->kind == OFFCPU_WAITING) return 0;
    __u64 now_ns = bpf_ktime_get_ns();
    charge(tid, row, now_ns);
    row->since_ns = now_ns;
    row->kind = OFFCPU_WAITING;
    return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
    __u32 from = parent->pid;
    __u32 to = child->pid;
    __u32 yes = 1;
    if (!options.all && bpf_map_lookup_elem(&members, &from))
        bpf_map_update_elem(&members, &to, &yes, BPF_ANY);
    return 0;
}

/* It leaves the CPU once more, and never returns. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
    __u32 tid = task->pid;
    bpf_map_delete_elem(&members, &tid);
    return 0;
}
