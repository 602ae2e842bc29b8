/* As much of a kernel as driver/ needs to be run in a test: its files are compiled against this
 * instead of Linux's headers. CPUs are threads; what the kernel would do with an event or a device
 * is done by machine.c, or not at all. */
#ifndef RINGSIDE_TESTS_DRIVER_KERNEL_H
#define RINGSIDE_TESTS_DRIVER_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "machine.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned short umode_t;
typedef int irqreturn_t;

#define remove driver_remove /* stdio.h has another */
#define __init
#define __exit
#define __iomem
#define noinline __attribute__((noinline))
#define THIS_MODULE NULL
#define MODULE_DEVICE_TABLE(bus, table)
#define IRQ_HANDLED 1
#define GFP_KERNEL 0

/* ---- memory and its order */
#define READ_ONCE(place) (*(const volatile __typeof__(place)*)&(place))
#define WRITE_ONCE(place, value) (*(volatile __typeof__(place)*)&(place) = (value))
#define barrier() machine_execute() /* what the driver counts loops of */
#define smp_load_acquire(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define xchg(place, value) __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
#define kcalloc(count, size, flags) calloc(count, size)
#define kfree(memory) free(memory)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, value, low, high) min_t(type, max_t(type, value, low), high)
#define container_of(pointer, type, member) ((type*)((char*)(pointer)-offsetof(type, member)))

typedef struct {
    int value;
} atomic_t;
#define ATOMIC_INIT(value) \
    { value }
#define atomic_read(atomic) __atomic_load_n(&(atomic)->value, __ATOMIC_SEQ_CST)
#define atomic_set(atomic, to) __atomic_store_n(&(atomic)->value, to, __ATOMIC_SEQ_CST)
#define atomic_inc(atomic) __atomic_fetch_add(&(atomic)->value, 1, __ATOMIC_SEQ_CST)
#define atomic_dec(atomic) __atomic_fetch_sub(&(atomic)->value, 1, __ATOMIC_SEQ_CST)
#define atomic_try_cmpxchg(atomic, before, after)                                         \
    __atomic_compare_exchange_n(&(atomic)->value, before, after, false, __ATOMIC_SEQ_CST, \
                                __ATOMIC_SEQ_CST)
typedef struct {
    s64 value;
} local64_t;
#define local64_read(local) ((local)->value)
#define local64_set(local, to) ((local)->value = (to))
#define local64_add(by, local) ((local)->value += (by))
#define local64_sub(by, local) ((local)->value -= (by))
static inline s64 local64_xchg(local64_t* local, s64 to) {
    const s64 before = local->value;
    local->value = to;
    return before;
}
#define rcu_read_lock()
#define rcu_read_unlock()

/* ---- CPUs */
#define nr_cpu_ids MACHINE_CPUS
#define smp_processor_id() machine_cpu
#define DECLARE_PER_CPU(type, name) extern type name[MACHINE_CPUS]
#define DEFINE_PER_CPU(type, name) type name[MACHINE_CPUS]
#define this_cpu_ptr(name) (&(*(name))[machine_cpu])
#define per_cpu(name, cpu) ((name)[cpu])
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < MACHINE_CPUS; ++(cpu))
#define for_each_online_cpu(cpu) for_each_possible_cpu(cpu)
#define cpumask_of(cpu) (cpu)
#define cpu_possible(cpu) ((cpu) < MACHINE_CPUS)
#define on_each_cpu(what, with, wait) machine_on_each_cpu(what, with)
#define smp_call_function_single(cpu, what, with, wait) machine_on_cpu(cpu, what, with)

/* ---- what is said */
#define pr_warn_once(...) machine_warn()
#define WARN_ONCE(condition, ...) ((void)((condition) && (machine_warn(), true)))
#define dev_err(device, ...) machine_warn()

/* ---- sysfs */
struct device;
struct kobject;
struct attribute {
    const char* name;
    umode_t mode;
};
struct attribute_group {
    const char* name;
    struct attribute** attrs;
    umode_t (*is_visible)(struct kobject*, struct attribute*, int);
};
struct device_attribute {
    struct attribute attr;
    ssize_t (*show)(struct device*, struct device_attribute*, char*);
};
#define DEVICE_ATTR_RO(called)                                                            \
    struct device_attribute dev_attr_##called = {.attr = {.name = #called, .mode = 0444}, \
                                                 .show = called##_show}
#define PMU_FORMAT_ATTR(called, text) \
    static struct device_attribute format_attr_##called = {.attr = {.name = #called}}
struct perf_pmu_events_attr {
    struct device_attribute attr;
};
#define PMU_EVENT_ATTR_STRING(called, variable, text) \
    static struct perf_pmu_events_attr variable = {.attr = {.attr = {.name = #called}}}
#define sysfs_emit(into, ...) sprintf(into, __VA_ARGS__)

/* ---- perf */
struct hlist_node {
    struct hlist_node* next;
};
struct hlist_head {
    struct hlist_node* first;
};
#define HLIST_HEAD_INIT \
    { NULL }
#define hlist_add_head(node, head) ((head)->first = (node))
#define __hlist_del(node) ((void)(node))
struct perf_event_attr {
    u32 type;
    u64 config;
    u64 sample_period;
    bool freq, exclude_user, exclude_kernel, exclude_idle;
};
struct hw_perf_event {
    u64 config;
    int idx;
    int state;
    u64 sample_period, last_period;
    local64_t prev_count, period_left;
};
struct pmu;
struct perf_event {
    struct perf_event_attr attr;
    struct pmu* pmu;
    struct perf_event* group_leader;
    struct perf_event* parent; /* that a forked task inherited it from */
    struct hw_perf_event hw;
    local64_t count;
    int oncpu;
    struct hlist_node hlist_entry;
    void (*destroy)(struct perf_event*);
};
struct pmu {
    void* module;
    const char* name;
    u32 type;
    int task_ctx_nr;
    int capabilities;
    const struct attribute_group** attr_groups;
    int (*event_init)(struct perf_event*);
    int (*add)(struct perf_event*, int);
    void (*del)(struct perf_event*, int);
    void (*start)(struct perf_event*, int);
    void (*stop)(struct perf_event*, int);
    void (*read)(struct perf_event*);
    int (*event_idx)(struct perf_event*);
    int (*check_period)(struct perf_event*, u64);
};
enum {
    perf_hw_context,
    PERF_PMU_CAP_HETEROGENEOUS_CPUS = 1,
    PERF_PMU_CAP_NO_NMI = 2,
    PERF_HES_STOPPED = 1,
    PERF_HES_UPTODATE = 2,
    PERF_EF_START = 1,
    PERF_EF_UPDATE = 4,
    PF_KTHREAD = 1
};
#define is_sampling_event(event) ((event)->attr.sample_period != 0)
#define has_branch_stack(event) false
#define for_each_sibling_event(sibling, leader) \
    for ((sibling) = NULL, (void)(leader); (sibling) != NULL;)
#define perf_event_update_userpage(event) ((void)(event))
static inline int perf_pmu_register(struct pmu* pmu, const char* name, int type) {
    pmu->name = name;
    pmu->type = 77;
    return 0;
}
#define perf_pmu_unregister(pmu) ((void)(pmu))

struct pt_regs {
    u64 ip;
};
struct trace_entry {
    int nothing;
};
struct task_struct {
    unsigned int flags;
};
extern struct task_struct machine_task;
#define current (&machine_task)
#define get_irq_regs() ((struct pt_regs*)NULL)
#define user_mode(registers) ((void)(registers), true)
#define task_pt_regs(task) ((void)(task), &(struct pt_regs){0})
#define perf_fetch_caller_regs(registers) ((void)(registers))
#define instruction_pointer(registers) ((registers)->ip)
#define instruction_pointer_set(registers, to) ((registers)->ip = (to))
#define perf_swevent_get_recursion_context() 0
static inline void perf_tp_event(u32 type, u64 count, void* record, int size,
                                 struct pt_regs* registers, struct hlist_head* head, int context,
                                 void* task) {
    struct perf_event* event = container_of(head->first, struct perf_event, hlist_entry);
    event->count.value += (s64)count;
    machine_sampled(registers->ip);
}

/* ---- devices and interrupts */
struct platform_device;
struct pci_dev {
    int dev;
    size_t bytes;
};
struct pci_device_id {
    int vendor;
};
struct pci_driver {
    const char* name;
    const struct pci_device_id* id_table;
    int (*probe)(struct pci_dev*, const struct pci_device_id*);
    void (*remove)(struct pci_dev*);
    struct {
        bool suppress_bind_attrs;
    } driver;
};
#define PCI_DEVICE(of_vendor, device) .vendor = (of_vendor)
#define PCI_IRQ_MSIX 0
#define IRQF_NOBALANCING 0
#define IRQF_NO_THREAD 0
#define MEMREMAP_WB 0
#define pci_alloc_irq_vectors(device, least, most, kind) (most)
#define pci_free_irq_vectors(device) ((void)(device))
#define pci_irq_vector(device, number) (number)
#define request_irq(irq, handler, flags, name, data) ((void)(handler), 0)
#define free_irq(irq, data) ((void)(irq))
#define irq_set_affinity_and_hint(irq, mask) ((void)(irq))
#define pci_resource_start(device, bar) 0x1000u
#define pci_resource_len(device, bar) ((device)->bytes)
#define pcim_enable_device(device) ((void)(device), 0)
#define pci_set_master(device) ((void)(device))
#define memremap(at, bytes, how) machine_device_memory()
#define memunmap(memory) machine_take_device_memory()
#define pci_register_driver(driver) ((void)(driver), 0)
#define pci_unregister_driver(driver) ((void)(driver))
#define enable_percpu_irq(irq, kind) ((void)(irq))
#define disable_percpu_irq(irq) ((void)(irq))
#define irq_get_trigger_type(irq) 0
#define platform_get_irq(device, number) 5
#define request_percpu_irq(irq, handler, name, data) ((void)(handler), 0)
#define free_percpu_irq(irq, data) ((void)(irq))
#define read_sysreg(called) machine_read_register(#called)

#endif
