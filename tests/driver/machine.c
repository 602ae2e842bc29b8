#include "machine.h"

#include <pthread.h>
#include <sys/mman.h>

#include "driver/driver.h"
#include "driver/hypervisor.h"

thread_local int machine_cpu = 0;
unsigned machine_warnings;
uint64_t machine_samples;
uint64_t machine_register;
unsigned machine_granted[MACHINE_CPUS];
unsigned machine_asked[MACHINE_CPUS][64];
struct task_struct machine_task;
struct ringside_page ringside_page;
const struct attribute_group* soft_attribute_groups[] = {NULL};

/* ---- CPUs: each a thread; one that asks the hypervisor waits until all have asked or are done. */

static pthread_mutex_t step_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t step_over = PTHREAD_COND_INITIALIZER;
static int running;
static int waiting;
static unsigned step;
static bool in_lockstep;

static void next_step_if_all_wait(void) {
    if (waiting < running) return;
    waiting = 0;
    ++step;
    pthread_cond_broadcast(&step_over);
}

static void wait_for_the_others(void) {
    unsigned now;

    if (!in_lockstep) return;
    pthread_mutex_lock(&step_lock);
    now = step;
    ++waiting;
    next_step_if_all_wait();
    while (step == now) pthread_cond_wait(&step_over, &step_lock);
    pthread_mutex_unlock(&step_lock);
}

struct call {
    void (*what)(void*);
    void* with;
    int cpu;
};

static void* be_a_cpu(void* argument) {
    const struct call* call = argument;

    machine_cpu = call->cpu;
    call->what(call->with);
    pthread_mutex_lock(&step_lock);
    --running;
    if (running > 0) next_step_if_all_wait();
    pthread_mutex_unlock(&step_lock);
    return NULL;
}

void machine_on_each_cpu(void (*what)(void*), void* with) {
    pthread_t threads[MACHINE_CPUS];
    struct call calls[MACHINE_CPUS];
    int cpu;

    running = MACHINE_CPUS;
    waiting = 0;
    in_lockstep = true;
    for (cpu = 0; cpu < MACHINE_CPUS; ++cpu) {
        calls[cpu] = (struct call){what, with, cpu};
        pthread_create(&threads[cpu], NULL, be_a_cpu, &calls[cpu]);
    }
    for (cpu = 0; cpu < MACHINE_CPUS; ++cpu) pthread_join(threads[cpu], NULL);
    in_lockstep = false;
}

void machine_on_cpu(int cpu, void (*what)(void*), void* with) {
    const int before = machine_cpu;

    machine_cpu = cpu;
    what(with);
    machine_cpu = before;
}

/* ---- the hypervisor */

bool hypervisor_ask(u32 function, const void* what) {
    const struct hypercall_pmu_control* control = what;
    int counter;

    wait_for_the_others();
    if (function != HYPERCALL_PMU_CONFIGURE || !control || control->slots == 0) return true;
    counter = __builtin_ctzll(control->slots);
    ++machine_asked[machine_cpu][counter];
    return (unsigned)counter < machine_granted[machine_cpu];
}

u64 hypervisor_hypercalls(void) {
    return 0;
}

/* ---- instructions */

uint64_t* machine_raw[MACHINE_CPUS];
static thread_local uint64_t executed;

void machine_execute(void) {
    ++executed;
    if (machine_raw[machine_cpu]) ++*machine_raw[machine_cpu];
}

uint64_t machine_read_register(const char* name) {
    return machine_register != 0 ? machine_register : executed;
}

void machine_warn(void) {
    ++machine_warnings;
}
void machine_sampled(uint64_t ip) {
    ++machine_samples;
}

/* ---- the device */

static void* memory = MAP_FAILED;
static size_t memory_bytes;

void machine_have_device(size_t bytes) {
    if (memory != MAP_FAILED) munmap(memory, memory_bytes);
    memory_bytes = bytes;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* machine_device_memory(void) {
    mprotect(memory, memory_bytes, PROT_READ | PROT_WRITE);
    return memory;
}

void machine_take_device_memory(void) {
    memset(machine_raw, 0, sizeof machine_raw);
    mprotect(memory, memory_bytes, PROT_NONE);
}

void machine_attach_page(void* vcpus) {
    ringside_page.vcpu = vcpus;
    ringside_page.back_end = vcpus ? &hypervisor_back_end : NULL;
}

/* ---- device.c, without files */

int ringside_publish(const struct back_end* back_end, bool with_pmu) {
    return with_pmu ? ringside_register_pmu(back_end) : 0;
}

void ringside_withdraw(void) {
    ringside_page.back_end = NULL;
}

/* ---- perf */

struct driver_event {
    struct perf_event event;
};

static struct driver_event* make_event(uint64_t config, uint64_t sample_period,
                                       struct perf_event* parent, int* error) {
    struct driver_event* made = calloc(1, sizeof *made);
    struct perf_event* event = &made->event;

    event->attr = (struct perf_event_attr){
        .type = ringside_pmu.type, .config = config, .sample_period = sample_period};
    event->hw.sample_period = sample_period;
    event->pmu = &ringside_pmu;
    event->group_leader = event;
    event->parent = parent;
    *error = ringside_pmu.event_init(event);
    if (*error == 0) return made;
    free(made);
    return NULL;
}

struct driver_event* driver_open_event(uint64_t config, uint64_t sample_period, int* error) {
    return make_event(config, sample_period, NULL, error);
}

struct driver_event* driver_inherit(struct driver_event* event, int* error) {
    return make_event(event->event.attr.config, event->event.attr.sample_period, &event->event, error);
}

int driver_add(struct driver_event* event) {
    return ringside_pmu.add(&event->event, PERF_EF_START);
}

void driver_delete(struct driver_event* event) {
    ringside_pmu.del(&event->event, 0);
}

int64_t driver_read(struct driver_event* event) {
    ringside_pmu.read(&event->event);
    return event->event.count.value;
}

unsigned driver_index(struct driver_event* event) {
    return (unsigned)ringside_pmu.event_idx(&event->event);
}

void driver_close(struct driver_event* event) {
    if (event->event.destroy) event->event.destroy(&event->event);
    free(event);
}
