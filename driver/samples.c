// SPDX-License-Identifier: MIT OR GPL-2.0
/* From the ring of a CPU to perf's records. Each sample carries the address of the instruction that
 * came to the limit, so that it does not matter how late the doorbell is heard; whose it is, is
 * told by draining the ring whenever an event leaves its CPU. */
#include <asm/irq_regs.h>
#include <linux/trace_events.h>

#include "driver.h"

DEFINE_PER_CPU(struct ringside_cpu, ringside_cpu);

/* What perf takes for the registers at `ip`: those of the interrupt, if it came in the same mode,
 * or of where the task left its program. */
static void registers_at(u64 ip, struct pt_regs* into) {
    struct pt_regs* interrupted = get_irq_regs();
    const bool in_kernel = (s64)ip < 0;

    if (interrupted && user_mode(interrupted) == !in_kernel) {
        *into = *interrupted;
    } else if (in_kernel || (current->flags & PF_KTHREAD)) {
        memset(into, 0, sizeof(*into));
        perf_fetch_caller_regs(into);
    } else {
        *into = *task_pt_regs(current);
    }
    instruction_pointer_set(into, ip);
#ifdef CONFIG_X86
    into->flags |= PERF_EFLAGS_EXACT;
#endif
}

/* perf_event_overflow() is not for modules. perf_tp_event() is: given a list of one event, and that
 * a whole period has passed, it comes to the same function. The count, which it adds to, is taken
 * back before. */
bool ringside_deliver(struct perf_event* event, u64 ip, u64 period) {
    struct trace_entry record = {};
    struct hlist_head only = HLIST_HEAD_INIT;
    struct pt_regs registers;
    const int context = perf_swevent_get_recursion_context();

    if (context < 0) return false;
    registers_at(ip, &registers);
    ringside_update(event);
    local64_sub(period, &event->count);
    local64_set(&event->hw.period_left, -(s64)period);
    event->hw.last_period = period;
    hlist_add_head(&event->hlist_entry, &only);
    perf_tp_event(0, period, &record, sizeof(record), &registers, &only, context, NULL);
    __hlist_del(&event->hlist_entry);
    return true;
}

/* More came while we were at it than we took: without a pause this CPU would do nothing else. */
static void let_go(const struct back_end* back_end, struct ringside_cpu* cpu, u64 head) {
    unsigned int counter;

    cpu->lost += head - cpu->tail;
    cpu->tail = head;
    for (counter = 0; counter < VPMU_PAGE_COUNTERS; ++counter) {
        struct vpmu_page_alarm* alarm = ringside_alarm(counter);

        if (READ_ONCE(alarm->limit) != VPMU_PAGE_NEVER)
            WRITE_ONCE(alarm->limit, back_end->count(counter) + READ_ONCE(alarm->period));
    }
}

/* With a frequency, perf changed the period while it took samples. */
static void adjust_alarms(const struct back_end* back_end, const struct ringside_cpu* cpu) {
    unsigned int counter;

    for (counter = 0; counter < VPMU_PAGE_COUNTERS; ++counter) {
        const struct perf_event* event = cpu->sampled[counter];
        struct vpmu_page_alarm* alarm = ringside_alarm(counter);
        const u64 limit = READ_ONCE(alarm->limit);
        const u64 before = READ_ONCE(alarm->period);
        u64 period;

        if (!event || limit == VPMU_PAGE_NEVER) continue;
        period = max_t(u64, event->hw.sample_period, SHORTEST_PERIOD);
        if (period == before) continue;
        WRITE_ONCE(alarm->period, period);
        WRITE_ONCE(alarm->limit, max(limit - before + period, back_end->count(counter) + 1));
    }
}

static u64 drain_to(struct ringside_cpu* cpu, u64 head) {
    const u32 entries = ringside_page.header.ring_entries;
    const struct vpmu_page_sample* ring = ringside_page.ring + (u64)smp_processor_id() * entries;
    const u64 first = cpu->tail;

    /* The oldest of a full ring may be half overwritten. */
    if (head - cpu->tail >= entries) {
        cpu->lost += head - cpu->tail - (entries - 1);
        cpu->tail = head - (entries - 1);
    }
    for (; cpu->tail != head; ++cpu->tail) {
        const struct vpmu_page_sample* sample = &ring[cpu->tail % entries];
        const u32 counter = READ_ONCE(sample->counter);
        struct perf_event* event = counter < VPMU_PAGE_COUNTERS ? cpu->sampled[counter] : NULL;
        const u64 period = READ_ONCE(ringside_alarm(counter % VPMU_PAGE_COUNTERS)->period);

        if (event && ringside_deliver(event, READ_ONCE(sample->ip), period))
            ++cpu->delivered;
        else
            ++cpu->lost;
    }
    return head - first;
}

void ringside_drain_ring(void) {
    const struct back_end* back_end = READ_ONCE(ringside_page.back_end);
    struct ringside_cpu* cpu = this_cpu_ptr(&ringside_cpu);
    const u64* shown = &ringside_page.vcpu[smp_processor_id()].ring_head;
    u64 taken;
    u64 head;

    /* perf may stop an event, to change its period, while it takes a sample of it. */
    if (!back_end || cpu->draining) return;
    cpu->draining = true;
    taken = drain_to(cpu, smp_load_acquire(shown));
    head = smp_load_acquire(shown);
    if (taken != 0) adjust_alarms(back_end, cpu);
    if (taken != 0 && head - cpu->tail >= taken) let_go(back_end, cpu, head);
    cpu->draining = false;
}

/* Over all CPUs, since the driver was loaded. */
static ssize_t delivered_show(struct device* device, struct device_attribute* attribute,
                              char* into) {
    u64 sum = 0;
    int cpu;

    for_each_possible_cpu(cpu) sum += READ_ONCE(per_cpu(ringside_cpu, cpu).delivered);
    return sysfs_emit(into, "%llu\n", sum);
}
static DEVICE_ATTR_RO(delivered);

static ssize_t lost_show(struct device* device, struct device_attribute* attribute, char* into) {
    u64 sum = 0;
    int cpu;

    for_each_possible_cpu(cpu) sum += READ_ONCE(per_cpu(ringside_cpu, cpu).lost);
    return sysfs_emit(into, "%llu\n", sum);
}
static DEVICE_ATTR_RO(lost);

static struct attribute* sample_attributes[] = {&dev_attr_delivered.attr, &dev_attr_lost.attr,
                                                NULL};
const struct attribute_group ringside_sample_group = {.name = "samples",
                                                      .attrs = sample_attributes};
