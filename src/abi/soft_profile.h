/* A profile of a whole machine, in the file of abi/soft_counts.h: samples that say which of the
 * guest's tasks ran, where its code was mapped, and what its accesses to devices cost. All numbers
 * of entries are limits: what does not fit is counted.
 *
 * Writer: the plugin (softpmu/profile_log.h); of `kernel` and `stopped` the reader.
 * Readers: src/soft, by pread, while QEMU runs or after it.
 * Rule: `kernel` is written while the machine is off (`is_off` of soft_extension), and read by the
 * plugin when it is switched on. Maps and exits are appended under the plugin's lock, and their
 * counts stored after them (release). A sample is not whole before the machine is off: its place is
 * taken first. */
#ifndef RINGSIDE_ABI_SOFT_PROFILE_H
#define RINGSIDE_ABI_SOFT_PROFILE_H

#include "abi/layout.h"

#define SOFT_PROFILE_SAMPLES (1u << 21)
#define SOFT_PROFILE_MAPS 8192u
#define SOFT_PROFILE_EXITS 1024u
#define SOFT_PROFILE_CPUS 1024u
#define SOFT_COMM_BYTES 16u
#define SOFT_PATH_BYTES 232u
#define SOFT_NO_MAP 0xffffffffu
#define SOFT_NO_PROCESS 0xffffffffu
#define SOFT_EXIT_OTHERS 0xffffffffu
/* Linux, Documentation/x86/x86_64/mm.rst and Documentation/arm64/memory.rst, where it was told not
 * to choose at random. */
#define SOFT_X86_IMAGE_BASE 0xffffffff80000000ull
#define SOFT_X86_DIRECT_BASE 0xffff888000000000ull
#define SOFT_ARM64_DIRECT_BASE 0xffff000000000000ull
/* The first address of memory in QEMU's machine "virt". */
#define SOFT_ARM64_RAM_BASE 0x40000000ull

/* What the guest's kernel says of itself, so that its tasks can be found in its memory. Written by
 * the reader before it has the machine counted; offsets are in bytes. All of it is input. */
struct soft_kernel {
    uint64_t known;           /* 1: the rest is written */
    uint64_t image_base;      /* an address in the kernel's image minus its place in the memory */
    uint64_t direct_base;     /* likewise in the mapping of all memory */
    uint64_t image_end;       /* behind the kernel's image */
    uint64_t banner;          /* where "Linux version" stands: whether all this is true */
    uint64_t per_cpu_offsets; /* where the offsets of the CPUs' own areas are */
    uint64_t current_task;    /* in such an area: the task that runs */
    uint64_t switch_code;     /* or 0; see softpmu/tasks.h. Then the three above mean nothing */
    uint32_t task_context;    /* in struct task_struct */
    uint32_t task_tid;
    uint32_t task_pid;
    uint32_t task_comm;
    uint32_t task_mm;
    uint32_t mm_root; /* in struct mm_struct: the root of its maple tree */
    uint32_t map_start;
    uint32_t map_end;
    uint32_t map_offset; /* in pages */
    uint32_t map_file;
    uint32_t file_name; /* in struct file: its struct dentry */
    uint32_t name_text; /* in struct dentry */
    uint32_t name_parent;
    uint32_t node_pivots; /* in a node of a maple tree for ranges */
    uint32_t node_slots;
    uint32_t gap_node_pivots; /* in one that knows gaps, too */
    uint32_t gap_node_slots;
    uint32_t reserved;
};
ABI_OFFSET(soft_kernel, switch_code, 56);
ABI_OFFSET(soft_kernel, task_context, 64);
ABI_OFFSET(soft_kernel, gap_node_slots, 128);
ABI_SIZE(soft_kernel, 136);

/* Why samples have no process. */
enum soft_task_state {
    SOFT_TASKS_KNOWN,
    SOFT_TASKS_NO_KERNEL,   /* nobody said what the kernel is like */
    SOFT_TASKS_NO_MEMORY,   /* the machine's memory was not found in QEMU's */
    SOFT_TASKS_OTHER_KERNEL /* at the banner's address stands something else */
};

enum soft_sample_kind { SOFT_SAMPLE_INSTRUCTIONS, SOFT_SAMPLE_DEVICE_NS };

struct soft_guest_sample {
    uint64_t ip;
    uint64_t time_ns; /* CLOCK_MONOTONIC, of the machine that runs QEMU */
    uint64_t amount;  /* instructions, or ns */
    uint32_t kind;
    uint32_t vcpu;
    uint32_t pid; /* SOFT_NO_PROCESS: not known */
    uint32_t tid;
    uint32_t map; /* that ip lies in, or SOFT_NO_MAP */
    uint32_t reserved;
    char comm[SOFT_COMM_BYTES];
};
ABI_OFFSET(soft_guest_sample, kind, 24);
ABI_OFFSET(soft_guest_sample, comm, 48);
ABI_SIZE(soft_guest_sample, 64);

/* A file mapped as code. */
struct soft_map {
    uint64_t start;
    uint64_t end;
    uint64_t file_offset; /* in bytes */
    char path[SOFT_PATH_BYTES];
};
ABI_OFFSET(soft_map, path, 24);
ABI_SIZE(soft_map, 256);

/* How long accesses took, four buckets to each power of two: soft/profile_buckets.h. */
#define SOFT_EXIT_BUCKETS 128u

/* What one instruction asked of one device. The last place is for all that had no room. */
struct soft_exit {
    uint64_t ip;     /* 0: of several instructions */
    uint32_t device; /* in soft_extension, or SOFT_EXIT_OTHERS */
    uint32_t is_write;
    uint64_t count;
    uint64_t timed;   /* of these; how long the rest took is not known */
    uint64_t off_cpu; /* of the rest: QEMU's thread was not on a CPU all the time */
    uint64_t total_ns;
    uint32_t histogram[SOFT_EXIT_BUCKETS];
};
ABI_OFFSET(soft_exit, count, 16);
ABI_OFFSET(soft_exit, histogram, 48);
ABI_SIZE(soft_exit, 560);

/* What a vCPU's thread executed on the machine that runs QEMU, by that machine's own PMU. */
struct soft_host_rate {
    uint64_t instructions;
    uint64_t running_ns;
};

struct soft_profile {
    struct soft_kernel kernel;
    uint64_t stopped;          /* others write 1 here: nothing more is kept */
    uint64_t device_period_ns; /* from sample to sample */
    uint64_t task_state;       /* enum soft_task_state */
    uint64_t sample_offset;    /* in the file */
    uint64_t sample_count;     /* those beyond SOFT_PROFILE_SAMPLES are lost */
    uint64_t map_offset;
    uint64_t map_count;
    uint64_t maps_left_out;
    uint64_t exit_offset;
    uint64_t exit_count;
    struct soft_host_rate host[SOFT_PROFILE_CPUS];
};
ABI_OFFSET(soft_profile, stopped, 136);
ABI_OFFSET(soft_profile, sample_count, 168);
ABI_OFFSET(soft_profile, exit_count, 208);
ABI_OFFSET(soft_profile, host, 216);
ABI_SIZE(soft_profile, 16600);

#endif
