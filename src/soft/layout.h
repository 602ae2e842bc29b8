/* The file in which the soft PMU keeps its counts while a machine or a program runs, one for each
 * process image: a shared page (vpmu/page.h) at the front, whose numbers of vCPUs and threads grow
 * as these appear, and behind it what the page has no room for. Plain C; all fields little-endian.
 * The file is mapped by the writer, so that what was counted is there however QEMU ends. */
#ifndef RINGSIDE_SOFT_LAYOUT_H
#define RINGSIDE_SOFT_LAYOUT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define SOFT_MAGIC 0x54464f53u /* "SOFT" */
#define SOFT_VERSION 3u
#define SOFT_VCPUS 1024u
#define SOFT_THREADS 1024u
#define SOFT_DEVICES 64u
#define SOFT_NAME_BYTES 256u

/* The folder of the run, in the environment of programs that are measured; files in it are named
 * PID-N.soft, where the greatest N is what the process executes now. PID-N.maps says where files
 * are mapped, as /proc/PID/maps does. */
#define SOFT_FOLDER_VARIABLE "RINGSIDE_SOFT"
#define SOFT_FILE_SUFFIX ".soft"
#define SOFT_MAPS_SUFFIX ".maps"

/* Counters, by page index; data/soft/events.csv describes them in the same order. A page counter's
 * `event` is SOFT_EVENT + index, which no hardware's select and umask can be. */
#define SOFT_EVENT 0x50f70000u
enum soft_counter {
    SOFT_INSTRUCTIONS,
    SOFT_KERNEL_INSTRUCTIONS,
    SOFT_BRANCHES,
    SOFT_TAKEN_BRANCHES,
    SOFT_LOADS,
    SOFT_STORES,
    SOFT_IO,
    SOFT_BRANCH_MISS_MODEL,
    SOFT_L1D_MISS_MODEL,
    SOFT_L2_MISS_MODEL,
    SOFT_DTLB_LOAD_MISS_MODEL,
    SOFT_DTLB_STORE_MISS_MODEL,
    SOFT_COUNTERS,
    /* On the page that a machine's own kernel sees only, where it can be sampled. */
    SOFT_USER_INSTRUCTIONS = SOFT_COUNTERS,
    SOFT_GUEST_COUNTERS
};

struct soft_device {
    char name[48];
    uint64_t reads;
    uint64_t writes;
};

/* How often a block of code was executed. */
struct soft_hot_block {
    uint64_t start;
    uint32_t instructions;
    uint32_t bytes;
    uint64_t executed;
};

/* At the first multiple of 64 behind the page. Samples are struct vpmu_page_sample, whose `thread`
 * is the guest's number of the thread itself. */
struct soft_extension {
    uint32_t magic;
    uint32_t version;
    uint32_t pid;
    uint32_t machine;            /* of the guest, as ELF numbers them */
    uint64_t period;             /* events from sample to sample; 0: no sampling */
    uint64_t uncounted_programs; /* started by this one, and not followed */
    uint64_t uncounted_vcpus;    /* beyond SOFT_VCPUS */
    uint64_t hot_offset;         /* in the file; blocks and samples are there in some modes only */
    uint64_t hot_capacity;
    uint64_t hot_count;
    uint64_t hot_left_out; /* blocks that had no room */
    uint64_t sample_offset;
    uint64_t sample_capacity;
    uint64_t sample_count; /* those beyond the capacity are lost */
    uint64_t device_count;
    uint64_t began_ns;   /* CLOCK_MONOTONIC */
    uint64_t guest_base; /* added to a guest's address it is QEMU's own */
    uint32_t
        wanted_off;  /* of a machine: others write 1 here to have it stop counting, 0 to go on */
    uint32_t is_off; /* whether it has stopped */
    char program[SOFT_NAME_BYTES];
    char first_uncounted[SOFT_NAME_BYTES];
    struct soft_device device[SOFT_DEVICES];
    uint64_t profile_offset; /* in the file: struct soft_profile (soft/profile_layout.h), or 0 */
};

#endif
