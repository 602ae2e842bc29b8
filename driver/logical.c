// SPDX-License-Identifier: MIT OR GPL-2.0
/* Counters of Ringside's hypervisor under its paravirtual policy, where there are no PMU registers:
 * they are configured by a hypercall, and read, by programs too. A counter keeps its configuration
 * when the last event leaves it, so that threads that count the same switch without a hypercall. */
#include <asm/irq_regs.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "hypervisor.h"

/* Arm ARM, D19.5: PMEVTYPER<n>_EL0, PMCR_EL0, and events. */
#define NOT_KERNEL (1u << 31)
#define NOT_USER (1u << 30)
#define PMCR_ENABLE (1u << 0)
#define PMCR_LONG_CYCLE (1u << 6)
#define INSTRUCTIONS 0x08
#define CYCLES 0x11
/* Counters overflow at 32 bits; further away is half way. */
#define FURTHEST 0x7fffffffu
#define MOST_LOOKS 1000u

static struct hypercall_pmu_control* controls; /* by CPU: what the hypervisor was told */
static unsigned int counters;                  /* that it has for us */
static int interrupt;

static struct hypercall_pmu_control* control_here(void) {
    return &controls[smp_processor_id()];
}

#define READ_CASE(n) \
    case n:          \
        return read_sysreg(pmevcntr##n##_el0)
static u64 read_counter(unsigned int counter) {
    switch (counter) {
        READ_CASE(0);
        READ_CASE(1);
        READ_CASE(2);
        READ_CASE(3);
        READ_CASE(4);
        READ_CASE(5);
        READ_CASE(6);
        READ_CASE(7);
        READ_CASE(8);
        READ_CASE(9);
        READ_CASE(10);
        READ_CASE(11);
    }
    return 0;
}

/* The page is the hypervisor's: a width may be anything. */
static u64 mask_of(u32 width_bits) {
    if (width_bits == 0) return 0;
    return width_bits < 64 ? (1ull << width_bits) - 1 : ~0ull;
}

/* sum + (counter - start): ours, whatever other guests did with the counter. The hypervisor changes it
 * while this CPU stands still, so that the second look is the last one, unless it is not what it should
 * be: then it is as if nothing had been counted since. */
static u64 count(unsigned int counter) {
    const struct vpmu_page_vcpu* vcpu = &ringside_page.vcpu[smp_processor_id()];
    const struct vpmu_page_counter* shown = &vcpu->counter[counter];
    u64* last = &this_cpu_ptr(&ringside_cpu)->last[counter];
    unsigned int looks;

    for (looks = 0; looks < MOST_LOOKS; ++looks) {
        const u32 before = smp_load_acquire(&vcpu->sequence);
        u64 sum = READ_ONCE(shown->sum);

        if (READ_ONCE(vcpu->active) >> counter & 1)
            sum += (read_counter(counter) - READ_ONCE(shown->start)) &
                   mask_of(READ_ONCE(shown->width_bits));
        smp_rmb();
        if (before % 2 || READ_ONCE(vcpu->sequence) != before) continue;
        *last = sum;
        return sum;
    }
    pr_warn_once("ringside: the hypervisor's page does not come to rest\n");
    return *last;
}

/* Events from here to the counter's limit. */
static u32 distance(unsigned int counter) {
    const u64 limit = READ_ONCE(ringside_alarm(counter)->limit);

    if (limit == VPMU_PAGE_NEVER) return FURTHEST;
    return clamp_t(s64, limit - count(counter), 1, FURTHEST);
}

static void configure(void) {
    struct hypercall_pmu_control* control = control_here();
    unsigned int counter;

    for (counter = 0; counter < counters; ++counter)
        if (control->sampling >> counter & 1) control->value[counter] = (u32)-distance(counter);
    WARN_ONCE(!hypervisor_ask(HYPERCALL_PMU_CONFIGURE, control),
              "ringside: a configuration was refused\n");
}

static s64 selector_for(const struct perf_event_attr* attr) {
    if (attr->config != INSTRUCTIONS && attr->config != CYCLES) return -EINVAL;
    return attr->config | (attr->exclude_user ? NOT_USER : 0) |
           (attr->exclude_kernel ? NOT_KERNEL : 0);
}

/* Events that only count share a counter; one that samples has its own. */
struct need {
    u64 shared[VPMU_PAGE_FIXED];
    unsigned int shared_count;
    unsigned int counters;
};

static void add_need(struct need* need, struct perf_event* event) {
    unsigned int i;

    if (event->pmu != &ringside_pmu) return;
    for (i = 0; i < need->shared_count; ++i)
        if (!is_sampling_event(event) && need->shared[i] == event->hw.config) return;
    if (!is_sampling_event(event) && need->shared_count < VPMU_PAGE_FIXED)
        need->shared[need->shared_count++] = event->hw.config;
    ++need->counters;
}

static bool fits_group(struct perf_event* event) {
    struct need need = {};
    struct perf_event* sibling;

    add_need(&need, event);
    if (event->group_leader != event) {
        add_need(&need, event->group_leader);
        for_each_sibling_event(sibling, event->group_leader) add_need(&need, sibling);
    }
    return need.counters <= counters;
}

static bool has_counter(const struct hypercall_pmu_control* control, unsigned int counter,
                        struct perf_event* event) {
    return !is_sampling_event(event) && (control->slots >> counter & 1) &&
           !(control->sampling >> counter & 1) && control->selector[counter] == event->hw.config;
}

/* One that nobody has: never used so far, or else not used now. */
static int free_counter(const struct hypercall_pmu_control* control) {
    const struct ringside_cpu* cpu = this_cpu_ptr(&ringside_cpu);
    int found = -EAGAIN;
    unsigned int counter;

    for (counter = 0; counter < counters; ++counter) {
        if (!(control->slots >> counter & 1)) return counter;
        if (found < 0 && cpu->users[counter] == 0) found = counter;
    }
    return found;
}

static int place(struct perf_event* event) {
    struct hypercall_pmu_control* control = control_here();
    int counter;

    for (counter = 0; counter < (int)counters; ++counter)
        if (has_counter(control, counter, event)) return counter;
    counter = free_counter(control);
    if (counter < 0) return counter;
    control->slots |= 1ull << counter;
    control->selector[counter] = event->hw.config;
    if (is_sampling_event(event)) {
        control->sampling |= 1ull << counter; /* the hypercall comes with its alarm */
    } else {
        control->sampling &= ~(1ull << counter);
        configure();
    }
    return counter;
}

/* Where the program was, for an event that does not count the kernel. */
static u64 sampled_address(const struct perf_event* event) {
    struct pt_regs* registers = get_irq_regs();

    if (registers && (user_mode(registers) || !event->attr.exclude_kernel))
        return instruction_pointer(registers);
    return current->flags & PF_KTHREAD ? 0 : instruction_pointer(task_pt_regs(current));
}

static void deliver_due(struct ringside_cpu* cpu, unsigned int counter) {
    struct perf_event* event = cpu->sampled[counter];
    struct vpmu_page_alarm* alarm = ringside_alarm(counter);
    u64 late;

    if (!event || alarm->limit == VPMU_PAGE_NEVER || (s64)(count(counter) - alarm->limit) < 0)
        return;
    if (ringside_deliver(event, sampled_address(event), alarm->period))
        ++cpu->delivered;
    else
        ++cpu->lost;
    if (alarm->limit == VPMU_PAGE_NEVER) return; /* perf stopped it meanwhile */
    alarm->period = max_t(u64, event->hw.sample_period, SHORTEST_PERIOD);
    alarm->limit += alarm->period;
    late = count(counter) - alarm->limit;
    if ((s64)late < 0) return;
    /* Whole periods passed while we were at it: without a pause this CPU would do nothing else. */
    cpu->lost += late / alarm->period + 1;
    alarm->limit += late + alarm->period;
}

/* What is due when an event leaves its CPU is due again as soon as it is back. */
static void nothing_waits(void) {}

static irqreturn_t on_overflow(int irq, void* data) {
    struct ringside_cpu* cpu = this_cpu_ptr(&ringside_cpu);
    unsigned int counter;

    cpu->draining = true;
    for (counter = 0; counter < counters; ++counter) deliver_due(cpu, counter);
    cpu->draining = false;
    configure();
    return IRQ_HANDLED;
}

/* Not one by one while many change. */
static void alarms_changed(void) {
    if (!this_cpu_ptr(&ringside_cpu)->draining) configure();
}

PMU_EVENT_ATTR_STRING(instructions, attribute_instructions, "event=0x08");
PMU_EVENT_ATTR_STRING(cycles, attribute_cycles, "event=0x11");
static struct attribute* event_attributes[] = {&attribute_instructions.attr.attr,
                                               &attribute_cycles.attr.attr, NULL};
static const struct attribute_group event_group = {.name = "events", .attrs = event_attributes};

PMU_FORMAT_ATTR(event, "config:0-15");
static struct attribute* format_attributes[] = {&format_attr_event.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = format_attributes};

static ssize_t counters_show(struct device* device, struct device_attribute* attribute,
                             char* into) {
    return sysfs_emit(into, "%u\n", counters);
}
static DEVICE_ATTR_RO(counters);

static ssize_t hypercalls_show(struct device* device, struct device_attribute* attribute,
                               char* into) {
    return sysfs_emit(into, "%llu\n", hypervisor_hypercalls());
}
static DEVICE_ATTR_RO(hypercalls);
static struct attribute* own_attributes[] = {&dev_attr_counters.attr, &dev_attr_hypercalls.attr,
                                             NULL};
static const struct attribute_group own_group = {.attrs = own_attributes};

static const struct attribute_group* attribute_groups[] = {&event_group, &format_group, &own_group,
                                                           &ringside_sample_group, NULL};

const struct back_end hypervisor_back_end = {
    .name = "ringside_vpmu",
    .attributes = attribute_groups,
    .config = selector_for,
    .fits_group = fits_group,
    .place = place,
    .count = count,
    .alarms_changed = alarms_changed,
    .drain = nothing_waits,
};

/* What all CPUs found, at the same time. */
struct trial {
    atomic_t least;
    atomic_t failed;
};

static void lower_to(atomic_t* least, int found) {
    int before = atomic_read(least);

    while (found < before && !atomic_try_cmpxchg(least, &before, found)) {
    }
}

/* There are as many counters as can be configured on every CPU; and they must count. */
static void try_this_cpu(void* shared) {
    struct trial* trial = shared;
    struct hypercall_pmu_control* control = control_here();
    int found;

    control->control = PMCR_ENABLE | PMCR_LONG_CYCLE;
    for (found = 0; found < (int)VPMU_PAGE_FIXED; ++found) {
        control->slots = 1ull << found;
        control->selector[found] = INSTRUCTIONS | NOT_USER;
        if (!hypervisor_ask(HYPERCALL_PMU_CONFIGURE, control)) break;
        if (!ringside_counts_loops(found)) atomic_set(&trial->failed, 1);
    }
    control->slots = 0;
    if (found == 0 || !hypervisor_ask(HYPERCALL_PMU_CONFIGURE, control))
        atomic_set(&trial->failed, 1);
    lower_to(&trial->least, found);
}

static void enable_interrupt(void* unused) {
    enable_percpu_irq(interrupt, irq_get_trigger_type(interrupt));
}
static void disable_interrupt(void* unused) {
    disable_percpu_irq(interrupt);
}

static int take_interrupt(struct platform_device* device) {
    int error;

    interrupt = platform_get_irq(device, 0);
    if (interrupt < 0) return interrupt;
    error = request_percpu_irq(interrupt, on_overflow, hypervisor_back_end.name, &ringside_cpu);
    if (!error) on_each_cpu(enable_interrupt, NULL, true);
    return error;
}

static void give_interrupt(void) {
    on_each_cpu(disable_interrupt, NULL, true);
    free_percpu_irq(interrupt, &ringside_cpu);
}

static int make_counters(void) {
    struct trial trial = {ATOMIC_INIT(VPMU_PAGE_FIXED), ATOMIC_INIT(0)};
    int cpu;
    int counter;

    controls = kcalloc(nr_cpu_ids, sizeof(*controls), GFP_KERNEL);
    ringside_page.alarms = kcalloc(nr_cpu_ids, sizeof(*ringside_page.alarms), GFP_KERNEL);
    if (!controls || !ringside_page.alarms) return -ENOMEM;
    for_each_possible_cpu(cpu) {
        for (counter = 0; counter < (int)VPMU_PAGE_COUNTERS; ++counter)
            ringside_page.alarms[cpu].counter[counter].limit = VPMU_PAGE_NEVER;
    }
    on_each_cpu(try_this_cpu, &trial, true);
    counters = atomic_read(&trial.least);
    return atomic_read(&trial.failed) ? -ENODEV : 0;
}

static void free_counters(void) {
    kfree(controls);
    kfree(ringside_page.alarms);
    controls = NULL;
    ringside_page.alarms = NULL;
}

int logical_start(struct platform_device* device) {
    int error = make_counters();

    if (!error) error = take_interrupt(device);
    if (!error) {
        error = ringside_publish(&hypervisor_back_end, true);
        if (error) give_interrupt();
    }
    if (error) {
        ringside_withdraw();
        free_counters();
    }
    return error;
}

static void stop_this_cpu(void* unused) {
    control_here()->slots = 0;
    control_here()->sampling = 0;
    hypervisor_ask(HYPERCALL_PMU_CONFIGURE, control_here());
}

void logical_stop(void) {
    give_interrupt();
    on_each_cpu(stop_this_cpu, NULL, true);
    free_counters();
}
