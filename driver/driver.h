/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* A Linux guest's PMU made of a shared page (abi/vpmu_page.h). Who is behind the page is one of two
 * back ends: the soft PMU's plugin behind an ivshmem device, or Ringside's hypervisor. It is
 * Ringside's own work under the MIT licence; modules say "Dual MIT/GPL", because the kernel lends
 * perf's functions to GPL-compatible ones only. */
#ifndef RINGSIDE_DRIVER_H
#define RINGSIDE_DRIVER_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "abi/vpmu_page.h"

/* Whoever is behind the page. All but `config` and `fits_group` is called on the CPU that is meant,
 * with interrupts off; all of it within a read-side critical section of RCU. */
struct back_end {
    const char* name; /* of the PMU, and of the file in /dev */
    const struct attribute_group** attributes;
    /* What stands for the event in hw.config, or a negative error. */
    s64 (*config)(const struct perf_event_attr* attr);
    /* Could all events of this one's group run at the same time? */
    bool (*fits_group)(struct perf_event* event);
    /* A counter for the event, or -EAGAIN where perf must take turns. */
    int (*place)(struct perf_event* event);
    /* What this CPU counted so far. */
    u64 (*count)(unsigned int counter);
    /* A limit was set or changed; may be null. */
    void (*alarms_changed)(void);
    /* Hands perf the samples that wait. */
    void (*drain)(void);
};

/* The page, checked once; `vcpu`, `alarms` and `ring` lie in it, or stand for what it has not.
 * There is one in a machine. Without a back end, before a device comes and after it left, nobody
 * may look at the rest: events that are still open stand still. */
struct ringside_page {
    const struct back_end* back_end;
    struct vpmu_page_header header;
    struct vpmu_page_vcpu* vcpu;
    struct vpmu_page_alarms* alarms;
    struct vpmu_page_sample* ring;
    u64 address; /* physical, of what programs may map */
    size_t mapped_bytes;
};

/* What one CPU has on. Touched on that CPU alone, with interrupts off. */
struct ringside_cpu {
    struct perf_event* sampled[VPMU_PAGE_COUNTERS]; /* by page index */
    unsigned int users[VPMU_PAGE_COUNTERS];
    u64 last[VPMU_PAGE_COUNTERS]; /* that was read */
    u64 tail;                     /* samples of the ring that were taken */
    bool draining;
    u64 delivered;
    u64 lost;
};

extern struct ringside_page ringside_page;
DECLARE_PER_CPU(struct ringside_cpu, ringside_cpu);

/* Below this, a CPU would do nothing but take samples. */
#define SHORTEST_PERIOD 1000

/* device.c: perf's PMU, if the page has counters for it, and the file to map. Afterwards, and if it
 * fails, ringside_withdraw(): then nobody looks at the page any more, a program that had mapped it
 * included. */
int ringside_publish(const struct back_end* back_end, bool with_pmu);
void ringside_withdraw(void);

/* pmu.c */
extern struct pmu ringside_pmu;
int ringside_register_pmu(const struct back_end* back_end);
void ringside_unregister_pmu(void);
/* Events are open, maybe of a device that has left. */
bool ringside_has_events(void);
struct vpmu_page_alarm* ringside_alarm(unsigned int counter);
void ringside_update(struct perf_event* event);
/* Does a loop count as a loop does? */
bool ringside_counts_loops(unsigned int counter);

/* samples.c: one sample at `ip`, of which `period` events passed. */
bool ringside_deliver(struct perf_event* event, u64 ip, u64 period);
void ringside_drain_ring(void);
extern const struct attribute_group ringside_sample_group;

/* events.c: what the soft PMU counts. */
extern const struct attribute_group* soft_attribute_groups[];

/* The back ends. */
int ivshmem_register(void);
void ivshmem_unregister(void);
#ifdef CONFIG_ARM64
int hypervisor_register(void);
void hypervisor_unregister(void);
#else
static inline int hypervisor_register(void) {
    return 0;
}
static inline void hypervisor_unregister(void) {}
#endif

#endif
