/* The file in which the soft PMU keeps its counts while a machine or a program runs, one for each
 * process image: a shared page (abi/vpmu_page.h) at the front, whose numbers of vCPUs and threads
 * grow as these appear, and behind it what the page has no room for.
 *
 * Writer: the plugin (softpmu/), which maps the file, so that what was counted is there however
 * QEMU ends. Others write one word, `wanted_off` (`ringside soft`), and a profile's description of
 * the kernel (abi/soft_profile.h). Readers: src/soft, by pread, while QEMU runs or after it; the
 * guest's driver has the counters' numbers from here. Rule: the page's own for the page. Behind it,
 * sizes and offsets are written before the file is shown and stay; counts only grow, each by atomic
 * additions or under the plugin's lock, and what a count covers was written before it. All of it is
 * input to a reader: another program can write it. */
#ifndef RINGSIDE_ABI_SOFT_COUNTS_H
#define RINGSIDE_ABI_SOFT_COUNTS_H

#include "abi/layout.h"

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
ABI_SIZE(soft_device, 64);

/* How often a block of code was executed. */
struct soft_hot_block {
    uint64_t start;
    uint32_t instructions;
    uint32_t bytes;
    uint64_t executed;
};
ABI_OFFSET(soft_hot_block, executed, 16);
ABI_SIZE(soft_hot_block, 24);

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
    uint64_t profile_offset; /* in the file: struct soft_profile (abi/soft_profile.h), or 0 */
};
ABI_OFFSET(soft_extension, period, 16);
ABI_OFFSET(soft_extension, hot_offset, 40);
ABI_OFFSET(soft_extension, sample_offset, 72);
ABI_OFFSET(soft_extension, wanted_off, 120);
ABI_OFFSET(soft_extension, program, 128);
ABI_OFFSET(soft_extension, device, 640);
ABI_OFFSET(soft_extension, profile_offset, 4736);
ABI_SIZE(soft_extension, 4744);

#endif
