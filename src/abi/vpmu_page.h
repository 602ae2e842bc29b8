/* The shared page: counters as a guest's kernel and its programs read them without an exit. Every
 * offset in it is from the start of the page.
 *
 * Writers: of the header and of a vCPU's part the hypervisor, or what plays it (hyp/, the soft
 * PMU's plugin, the lab; driver/ lays the page out for hyp/); of a thread's part the guest's
 * kernel; of an alarm the guest's kernel on that vCPU, and there whoever counts moves `limit` on.
 * Readers: programs, which map it read-only, the guest's kernel and doctors: vpmu/page_reader.h.
 * Rule: the header does not change, but for its two counts, which grow (release). A part has one
 * writer at a time, which makes `sequence` odd before a change and even after it; a reader begins
 * again where it was odd or has changed. Where VPMU_PAGE_RAW_IS_LIVE, `raw` needs no sequence: it
 * is one word of one writer. A ring's sample is whole once `ring_head` has passed it (release). */
#ifndef RINGSIDE_ABI_VPMU_PAGE_H
#define RINGSIDE_ABI_VPMU_PAGE_H

#include "abi/layout.h"

#define VPMU_PAGE_MAGIC 0x554d5056u /* "VPMU" */
#define VPMU_PAGE_VERSION 1u
#define VPMU_PAGE_COUNTERS 16u
/* General counters come first; fixed counters and Arm's cycle counter from this index on. */
#define VPMU_PAGE_FIXED 12u
#define VPMU_PAGE_NO_THREAD 0xffffffffu
#define VPMU_PAGE_NEVER 0xffffffffffffffffull

/* header.flags */
#define VPMU_PAGE_RAW_IS_LIVE 1u /* `raw` is the counter itself; no instruction reads it */

/* header.policy, by number: how the PMU is shared; vpmu/policy.h says what each means. Guests
 * have the numbers, so that a new policy goes to the end. */
#define VPMU_PAGE_POLICIES(policy)                                                                 \
    policy(legacy) policy(cpu_switch) policy(domain_switch) policy(mediated) policy(lazy_mediated) \
        policy(shared_view) policy(paravirtual)

/* header.architecture */
enum vpmu_page_architecture { VPMU_PAGE_INTEL, VPMU_PAGE_AMD, VPMU_PAGE_ARM64 };

struct vpmu_page_header {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes; /* of the whole page */
    uint32_t flags;
    uint32_t policy;       /* of VPMU_PAGE_POLICIES, so that a guest can say what it sees */
    uint32_t architecture; /* enum vpmu_page_architecture */
    uint32_t vcpu_count;
    uint32_t vcpu_offset;
    uint32_t thread_count;
    uint32_t thread_offset;
    uint32_t ring_entries; /* of each vCPU; a power of two, or 0 */
    uint32_t ring_offset;
    uint32_t alarm_offset; /* a struct vpmu_page_alarms for each vCPU; 0: no doorbell */
    uint32_t reserved[3];
};
ABI_OFFSET(vpmu_page_header, vcpu_count, 24);
ABI_OFFSET(vpmu_page_header, alarm_offset, 48);
ABI_SIZE(vpmu_page_header, 64);

/* Phys* = sum + (phys - start): the vCPU's own count, whatever else ran on the CPU. `phys` is the
 * hardware counter, or `raw`. A stopped counter has its bit of `active` clear, and its count is
 * `sum`. */
struct vpmu_page_counter {
    uint64_t raw;
    uint64_t sum;
    uint64_t start;
    uint32_t event; /* select << 8 | umask */
    uint32_t width_bits;
};
ABI_OFFSET(vpmu_page_counter, event, 24);
ABI_SIZE(vpmu_page_counter, 32);

struct vpmu_page_vcpu {
    uint32_t sequence;
    uint32_t thread; /* index of the thread that runs, or VPMU_PAGE_NO_THREAD */
    uint64_t resumed_ns;
    uint64_t active;     /* by page index */
    uint64_t starved;    /* the guest believes these count, and they do not */
    uint64_t starved_ns; /* how long any counter was starved */
    uint64_t ring_head;  /* samples ever written; the newest is at (head - 1) % entries */
    uint64_t reserved[2];
    struct vpmu_page_counter counter[VPMU_PAGE_COUNTERS];
};
ABI_OFFSET(vpmu_page_vcpu, active, 16);
ABI_OFFSET(vpmu_page_vcpu, starved, 24);
ABI_OFFSET(vpmu_page_vcpu, ring_head, 40);
ABI_OFFSET(vpmu_page_vcpu, counter, 64);
ABI_SIZE(vpmu_page_vcpu, 576);

/* Log = sum + (Phys* - start): the thread's count, wherever it ran. */
struct vpmu_page_thread_counter {
    uint64_t sum;
    uint64_t start;
};

struct vpmu_page_thread {
    uint32_t sequence;
    uint32_t id;      /* the guest's name for it */
    uint32_t vcpu;    /* where it runs, or VPMU_PAGE_NO_THREAD */
    uint32_t pending; /* overflows that wait for it, by page index */
    struct vpmu_page_thread_counter counter[VPMU_PAGE_COUNTERS];
};
ABI_OFFSET(vpmu_page_thread, counter, 16);
ABI_SIZE(vpmu_page_thread, 272);

/* An overflow with the address at which it happened, not at which it was noticed. */
struct vpmu_page_sample {
    uint64_t ip;
    uint64_t time_ns;
    uint32_t counter;
    uint32_t thread;
    uint64_t skid; /* events between the two */
};
ABI_OFFSET(vpmu_page_sample, skid, 24);
ABI_SIZE(vpmu_page_sample, 32);

/* What a guest's kernel asks of the counters of one vCPU, from that vCPU alone: a sample in its
 * ring, and its doorbell, when `raw` has come to `limit`, and again every `period` after that.
 * Whoever counts moves `limit` on, so that a late kernel loses none. */
struct vpmu_page_alarm {
    uint64_t limit; /* VPMU_PAGE_NEVER: none */
    uint64_t period;
};

struct vpmu_page_alarms {
    struct vpmu_page_alarm counter[VPMU_PAGE_COUNTERS];
};
ABI_SIZE(vpmu_page_alarms, 256);

#endif
