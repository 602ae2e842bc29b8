/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* A Linux guest's PMU made of a shared page (vpmu/page.h) and a doorbell. It is Ringside's own work
 * under the MIT licence; modules say "Dual MIT/GPL", because the kernel lends perf's functions to
 * GPL-compatible ones only. */
#ifndef RINGSIDE_DRIVER_H
#define RINGSIDE_DRIVER_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "soft/layout.h"
#include "vpmu/page.h"

/* The page, checked once; `vcpu`, `alarms` and `ring` lie in it. There is one in a machine. */
struct soft_page {
    struct vpmu_page_header header;
    struct vpmu_page_vcpu* vcpu;
    struct vpmu_page_alarms* alarms;
    struct vpmu_page_sample* ring;
};

/* What one CPU samples. Touched on that CPU alone, with interrupts off. */
struct soft_cpu {
    struct perf_event* sampled[VPMU_PAGE_COUNTERS]; /* by page index */
    u64 tail;                                       /* samples of the ring that were taken */
    bool draining;
    u64 delivered;
    u64 lost;
};

extern struct soft_page soft_page;
DECLARE_PER_CPU(struct soft_cpu, soft_cpu);

/* Below this, a CPU would do nothing but take samples. */
#define SOFT_SHORTEST_PERIOD 1000

/* pmu.c */
extern struct pmu soft_pmu;
u64 soft_raw(unsigned int counter);
void soft_update(struct perf_event* event);
struct vpmu_page_alarm* soft_alarm(unsigned int counter);

/* samples.c: hands perf what is in this CPU's ring. */
void soft_drain(void);

/* events.c */
extern const struct attribute_group* soft_attribute_groups[];

#endif
