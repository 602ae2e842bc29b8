// SPDX-License-Identifier: MIT OR GPL-2.0
/* perf's view: a counter never stops for perf's sake; starting an event is remembering a number,
 * and sampling it is setting its counter's alarm. Who counts, and which counters there are, is the
 * back end's matter. */
#include "driver.h"

/* That are open. perf takes its PMU for something that stays as long as they do, so it stays until
 * the module is unloaded, which an open event holds back. When the device leaves before, events keep
 * their counts, and perf is told that there is no counter for them. */
static atomic_t events = ATOMIC_INIT(0);

/* Whoever is behind the page. It may leave at any moment; what it is now is there until the caller
 * has enabled interrupts again. */
static const struct back_end* present(void) {
    return READ_ONCE(ringside_page.back_end);
}

/* perf_event_mmap_page.index: where in the page the counter of this event lies now, so that a
 * program reads it as it would with an instruction: pc->offset + counter[index - 1]. */
static int index_of(struct perf_event* event) {
    const int cpu = READ_ONCE(event->oncpu);

    return cpu < 0 || !present() ? 0 : 1 + cpu * (int)VPMU_PAGE_COUNTERS + event->hw.idx;
}

static void alarms_changed(const struct back_end* back_end) {
    if (back_end->alarms_changed) back_end->alarms_changed();
}

struct vpmu_page_alarm* ringside_alarm(unsigned int counter) {
    return &ringside_page.alarms[smp_processor_id()].counter[counter];
}

static noinline u64 count_loop(unsigned int counter, unsigned long turns) {
    const struct back_end* back_end = present();
    const u64 before = back_end->count(counter);

    while (turns-- > 0) barrier();
    return back_end->count(counter) - before;
}

bool ringside_counts_loops(unsigned int counter) {
    const u64 one = count_loop(counter, 1000);
    const u64 two = count_loop(counter, 2000);
    const u64 three = count_loop(counter, 3000);

    return three - two == two - one && two - one >= 1000;
}

void ringside_update(struct perf_event* event) {
    const struct back_end* back_end = present();
    u64 now;
    u64 before;

    if (!back_end) return;
    now = back_end->count(event->hw.idx);
    before = local64_xchg(&event->hw.prev_count, now);
    local64_add(now - before, &event->count);
}

static void set_alarm(const struct back_end* back_end, struct perf_event* event) {
    struct hw_perf_event* hw = &event->hw;
    struct vpmu_page_alarm* alarm = ringside_alarm(hw->idx);
    s64 left = local64_read(&hw->period_left);

    /* With a frequency perf begins at a period of 1, and finds the right one. */
    hw->sample_period = max_t(u64, hw->sample_period, SHORTEST_PERIOD);
    if (left <= 0 || left > (s64)hw->sample_period) left = hw->sample_period;
    WRITE_ONCE(alarm->period, hw->sample_period);
    WRITE_ONCE(alarm->limit, back_end->count(hw->idx) + left);
    alarms_changed(back_end);
}

static void clear_alarm(const struct back_end* back_end, struct perf_event* event) {
    struct hw_perf_event* hw = &event->hw;
    /* In one instruction: the limit moves on between instructions. */
    const u64 limit = xchg(&ringside_alarm(hw->idx)->limit, VPMU_PAGE_NEVER);

    /* What rang before belongs to the task that is still here. */
    back_end->drain();
    local64_set(&hw->period_left, max_t(s64, limit - back_end->count(hw->idx), 1));
}

static void start_event(struct perf_event* event, int flags) {
    const struct back_end* back_end = present();

    event->hw.state = 0;
    if (!back_end) return;
    local64_set(&event->hw.prev_count, back_end->count(event->hw.idx));
    if (is_sampling_event(event)) set_alarm(back_end, event);
}

static void stop_event(struct perf_event* event, int flags) {
    const struct back_end* back_end = present();

    if (event->hw.state & PERF_HES_STOPPED) return;
    if (back_end && is_sampling_event(event)) clear_alarm(back_end, event);
    ringside_update(event);
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add_event(struct perf_event* event, int flags) {
    struct ringside_cpu* cpu = this_cpu_ptr(&ringside_cpu);
    const struct back_end* back_end = present();
    const int counter = back_end ? back_end->place(event) : -ENODEV;

    if (counter < 0) return counter; /* perf takes turns */
    event->hw.idx = counter;
    ++cpu->users[counter];
    if (is_sampling_event(event)) cpu->sampled[counter] = event;
    event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
    if (flags & PERF_EF_START) start_event(event, flags);
    perf_event_update_userpage(event);
    return 0;
}

static void delete_event(struct perf_event* event, int flags) {
    struct ringside_cpu* cpu = this_cpu_ptr(&ringside_cpu);
    const int counter = event->hw.idx;

    stop_event(event, PERF_EF_UPDATE);
    --cpu->users[counter];
    if (cpu->sampled[counter] == event) cpu->sampled[counter] = NULL;
    perf_event_update_userpage(event);
}

static void read_event(struct perf_event* event) {
    if (!(event->hw.state & PERF_HES_STOPPED)) ringside_update(event);
}

static int check_period(struct perf_event* event, u64 period) {
    return event->attr.freq || period >= SHORTEST_PERIOD ? 0 : -EINVAL;
}

static void forget_event(struct perf_event* event) {
    atomic_dec(&events);
}

bool ringside_has_events(void) {
    return atomic_read(&events) > 0;
}

static int configure_event(const struct back_end* back_end, struct perf_event* event) {
    const s64 config = back_end->config(&event->attr);

    if (config < 0) return config;
    event->hw.config = config;
    return back_end->fits_group(event) ? 0 : -EINVAL;
}

static int init_event(struct perf_event* event) {
    const struct back_end* back_end;
    int error = -ENODEV;

    if (event->attr.type != ringside_pmu.type) return -ENOENT;
    if (has_branch_stack(event) || event->attr.exclude_idle) return -EOPNOTSUPP;
    if (event->attr.exclude_user && event->attr.exclude_kernel) return -EINVAL;
    if (is_sampling_event(event) && check_period(event, event->attr.sample_period)) return -EINVAL;
    rcu_read_lock();
    back_end = present();
    if (back_end) {
        error = configure_event(back_end, event);
    } else if (event->parent) { /* or what is measured could not fork any more */
        event->hw.config = event->parent->hw.config;
        error = 0;
    }
    if (!error) atomic_inc(&events); /* before the next device may come */
    rcu_read_unlock();
    if (!error) event->destroy = forget_event;
    return error;
}

/* A PMU among others: where the CPU has one of its own, both share the context of a task. */
struct pmu ringside_pmu = {
    .module = THIS_MODULE,
    .task_ctx_nr = perf_hw_context,
    .capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS | PERF_PMU_CAP_NO_NMI,
    .event_init = init_event,
    .add = add_event,
    .del = delete_event,
    .start = start_event,
    .stop = stop_event,
    .read = read_event,
    .event_idx = index_of,
    .check_period = check_period,
};

static bool registered;

int ringside_register_pmu(const struct back_end* back_end) {
    int error;

    if (registered) return strcmp(ringside_pmu.name, back_end->name) == 0 ? 0 : -EBUSY;
    ringside_pmu.attr_groups = back_end->attributes;
    error = perf_pmu_register(&ringside_pmu, back_end->name, -1);
    registered = !error;
    return error;
}

void ringside_unregister_pmu(void) {
    if (registered) perf_pmu_unregister(&ringside_pmu);
    registered = false;
}
