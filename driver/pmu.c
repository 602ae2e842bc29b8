// SPDX-License-Identifier: MIT OR GPL-2.0
/* perf's view: events that are counted on every CPU all the time, so that starting one is a matter
 * of remembering a number. Only sampling takes something that there is one of: a counter's alarm.
 */
#include "driver.h"

/* perf_event_mmap_page.index: where in the page the counter of this event lies now, so that a
 * program reads it as it would with an instruction: pc->offset + counter[index - 1]. */
static int index_of(struct perf_event* event) {
    const int cpu = READ_ONCE(event->oncpu);

    return cpu < 0 ? 0 : 1 + cpu * (int)VPMU_PAGE_COUNTERS + event->hw.idx;
}

u64 soft_raw(unsigned int counter) {
    return READ_ONCE(soft_page.vcpu[smp_processor_id()].counter[counter].raw);
}

struct vpmu_page_alarm* soft_alarm(unsigned int counter) {
    return &soft_page.alarms[smp_processor_id()].counter[counter];
}

void soft_update(struct perf_event* event) {
    const u64 now = soft_raw(event->hw.idx);
    const u64 before = local64_xchg(&event->hw.prev_count, now);

    local64_add(now - before, &event->count);
}

static void set_alarm(struct perf_event* event) {
    struct hw_perf_event* hw = &event->hw;
    struct vpmu_page_alarm* alarm = soft_alarm(hw->idx);
    s64 left = local64_read(&hw->period_left);

    /* With a frequency perf begins at a period of 1, and finds the right one. */
    hw->sample_period = max_t(u64, hw->sample_period, SOFT_SHORTEST_PERIOD);
    if (left <= 0 || left > (s64)hw->sample_period) left = hw->sample_period;
    WRITE_ONCE(alarm->period, hw->sample_period);
    WRITE_ONCE(alarm->limit, soft_raw(hw->idx) + left);
}

static void clear_alarm(struct perf_event* event) {
    struct hw_perf_event* hw = &event->hw;
    /* In one instruction: the limit moves on between instructions. */
    const u64 limit = xchg(&soft_alarm(hw->idx)->limit, VPMU_PAGE_NEVER);

    /* What rang before belongs to the task that is still here. */
    soft_drain();
    local64_set(&hw->period_left, max_t(s64, limit - soft_raw(hw->idx), 1));
}

static void start_event(struct perf_event* event, int flags) {
    event->hw.state = 0;
    local64_set(&event->hw.prev_count, soft_raw(event->hw.idx));
    if (is_sampling_event(event)) set_alarm(event);
}

static void stop_event(struct perf_event* event, int flags) {
    if (event->hw.state & PERF_HES_STOPPED) return;
    if (is_sampling_event(event)) clear_alarm(event);
    soft_update(event);
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add_event(struct perf_event* event, int flags) {
    struct perf_event** sampled = &this_cpu_ptr(&soft_cpu)->sampled[event->hw.idx];

    if (is_sampling_event(event)) {
        if (*sampled) return -EAGAIN; /* perf takes turns */
        *sampled = event;
    }
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
    if (flags & PERF_EF_START) start_event(event, flags);
    perf_event_update_userpage(event);
    return 0;
}

static void delete_event(struct perf_event* event, int flags) {
    struct perf_event** sampled = &this_cpu_ptr(&soft_cpu)->sampled[event->hw.idx];

    stop_event(event, PERF_EF_UPDATE);
    if (*sampled == event) *sampled = NULL;
    perf_event_update_userpage(event);
}

static void read_event(struct perf_event* event) {
    if (!(event->hw.state & PERF_HES_STOPPED)) soft_update(event);
}

/* Which counter has what is asked for, or a negative error. */
static int counter_for(const struct perf_event_attr* attr) {
    const u64 active = READ_ONCE(soft_page.vcpu[0].active);

    if (attr->config >= SOFT_COUNTERS || !(active >> attr->config & 1)) return -EINVAL;
    if (attr->exclude_user && attr->exclude_kernel) return -EINVAL;
    if (!attr->exclude_user && !attr->exclude_kernel) return attr->config;
    /* Only instructions are told apart by where they are executed. */
    if (attr->config != SOFT_INSTRUCTIONS) return -EOPNOTSUPP;
    return attr->exclude_kernel ? SOFT_USER_INSTRUCTIONS : SOFT_KERNEL_INSTRUCTIONS;
}

static int check_period(struct perf_event* event, u64 period) {
    return event->attr.freq || period >= SOFT_SHORTEST_PERIOD ? 0 : -EINVAL;
}

/* Two events of a group must not want the same alarm: they would never run together. */
static bool fits_group(struct perf_event* event) {
    struct perf_event* leader = event->group_leader;
    struct perf_event* sibling;

    if (!is_sampling_event(event) || leader == event) return true;
    if (leader->pmu == event->pmu && is_sampling_event(leader) && leader->hw.idx == event->hw.idx)
        return false;
    for_each_sibling_event(sibling, leader) {
        if (sibling->pmu == event->pmu && is_sampling_event(sibling) &&
            sibling->hw.idx == event->hw.idx)
            return false;
    }
    return true;
}

static int init_event(struct perf_event* event) {
    int counter;

    if (event->attr.type != soft_pmu.type) return -ENOENT;
    if (has_branch_stack(event) || event->attr.exclude_idle) return -EOPNOTSUPP;
    counter = counter_for(&event->attr);
    if (counter < 0) return counter;
    if (is_sampling_event(event)) {
        if (soft_page.header.alarm_offset == 0) return -EOPNOTSUPP;
        if (check_period(event, event->attr.sample_period)) return -EINVAL;
    }
    event->hw.idx = counter;
    return fits_group(event) ? 0 : -EINVAL;
}

/* A PMU among others: where the CPU has one of its own, both share the context of a task. */
struct pmu soft_pmu = {
    .module = THIS_MODULE,
    .task_ctx_nr = perf_hw_context,
    .capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS | PERF_PMU_CAP_NO_NMI,
    .attr_groups = soft_attribute_groups,
    .event_init = init_event,
    .add = add_event,
    .del = delete_event,
    .start = start_event,
    .stop = stop_event,
    .read = read_event,
    .event_idx = index_of,
    .check_period = check_period,
};
