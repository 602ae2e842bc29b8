// SPDX-License-Identifier: MIT OR GPL-2.0
/* The ivshmem device behind which a soft PMU counts: its memory is the page, its interrupts are the
 * doorbells, one for each vCPU. All counters count on every CPU all the time, so that starting one
 * is a matter of remembering a number; only its alarm is something that there is one of. */
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pci.h>

#include "driver.h"
#include "abi/soft_counts.h"

#define IVSHMEM_VENDOR 0x1af4
#define IVSHMEM_DEVICE 0x1110
#define IVSHMEM_MEMORY 2 /* the BAR */

static struct pci_dev* the_device;
static void* memory;

static bool inside(u32 offset, u64 count, size_t each) {
    const u64 bytes = ringside_page.header.bytes;

    return offset % 8 == 0 && offset >= sizeof(ringside_page.header) && offset <= bytes &&
           count <= (bytes - offset) / each;
}

/* Other devices of this kind have other things in their memory. */
static int check_page(size_t bytes) {
    struct vpmu_page_header* header = &ringside_page.header;
    const u64 vcpus = min_t(u64, nr_cpu_ids, 4096);

    if (bytes < sizeof(*header)) return -ENODEV;
    memcpy(header, memory, sizeof(*header));
    if (header->magic != VPMU_PAGE_MAGIC || header->version != VPMU_PAGE_VERSION ||
        !(header->flags & VPMU_PAGE_RAW_IS_LIVE))
        return -ENODEV;
    if (header->bytes > bytes || header->vcpu_count < vcpus || header->alarm_offset == 0 ||
        header->ring_entries == 0 || (header->ring_entries & (header->ring_entries - 1)) != 0 ||
        !inside(header->vcpu_offset, header->vcpu_count, sizeof(struct vpmu_page_vcpu)) ||
        !inside(header->alarm_offset, header->vcpu_count, sizeof(struct vpmu_page_alarms)) ||
        !inside(header->ring_offset, (u64)header->vcpu_count * header->ring_entries,
                sizeof(struct vpmu_page_sample)))
        return -EINVAL;
    ringside_page.vcpu = memory + header->vcpu_offset;
    ringside_page.alarms = memory + header->alarm_offset;
    ringside_page.ring = memory + header->ring_offset;
    return 0;
}

static void silence(void) {
    int cpu;
    int counter;

    for_each_possible_cpu(cpu) {
        for (counter = 0; counter < (int)VPMU_PAGE_COUNTERS; ++counter)
            WRITE_ONCE(ringside_page.alarms[cpu].counter[counter].limit, VPMU_PAGE_NEVER);
        per_cpu(ringside_cpu, cpu).tail = READ_ONCE(ringside_page.vcpu[cpu].ring_head);
    }
}

/* Is this CPU the vCPU that the page has at its place? */
static void check_this_cpu(void* result) {
    if (!ringside_counts_loops(SOFT_INSTRUCTIONS)) *(int*)result = -ENODEV;
}

static int check_counters(void) {
    int result = 0;
    int cpu;

    for_each_online_cpu(cpu) {
        smp_call_function_single(cpu, check_this_cpu, &result, true);
        if (result) {
            dev_err(&the_device->dev, "CPU %d does not count at its place\n", cpu);
            break;
        }
    }
    return result;
}

static irqreturn_t on_doorbell(int irq, void* data) {
    ringside_drain_ring();
    return IRQ_HANDLED;
}

static void free_doorbells(int count) {
    while (count-- > 0) {
        const int irq = pci_irq_vector(the_device, count);

        irq_set_affinity_and_hint(irq, NULL);
        free_irq(irq, the_device);
    }
    pci_free_irq_vectors(the_device);
}

static int request_doorbells(void) {
    const int count = nr_cpu_ids;
    int got = pci_alloc_irq_vectors(the_device, count, count, PCI_IRQ_MSIX);
    int cpu;

    if (got < 0) return got;
    for (cpu = 0; cpu < count; ++cpu) {
        const int irq = pci_irq_vector(the_device, cpu);
        int error = request_irq(irq, on_doorbell, IRQF_NOBALANCING | IRQF_NO_THREAD,
                                "ringside_soft", the_device);

        if (error) {
            free_doorbells(cpu);
            return error;
        }
        if (cpu_possible(cpu)) irq_set_affinity_and_hint(irq, cpumask_of(cpu));
    }
    return 0;
}

/* Which counter has what is asked for. */
static s64 counter_for(const struct perf_event_attr* attr) {
    const u64 active = READ_ONCE(ringside_page.vcpu[0].active);

    if (attr->config >= SOFT_COUNTERS || !(active >> attr->config & 1)) return -EINVAL;
    if (!attr->exclude_user && !attr->exclude_kernel) return attr->config;
    /* Only instructions are told apart by where they are executed. */
    if (attr->config != SOFT_INSTRUCTIONS) return -EOPNOTSUPP;
    return attr->exclude_kernel ? SOFT_USER_INSTRUCTIONS : SOFT_KERNEL_INSTRUCTIONS;
}

/* Two events of a group must not want the same alarm: they would never run together. */
static bool fits_group(struct perf_event* event) {
    struct perf_event* leader = event->group_leader;
    struct perf_event* sibling;

    if (!is_sampling_event(event) || leader == event) return true;
    if (leader->pmu == event->pmu && is_sampling_event(leader) &&
        leader->hw.config == event->hw.config)
        return false;
    for_each_sibling_event(sibling, leader) {
        if (sibling->pmu == event->pmu && is_sampling_event(sibling) &&
            sibling->hw.config == event->hw.config)
            return false;
    }
    return true;
}

static int place(struct perf_event* event) {
    const int counter = event->hw.config;
    const bool taken = this_cpu_ptr(&ringside_cpu)->sampled[counter] != NULL;

    return is_sampling_event(event) && taken ? -EAGAIN : counter;
}

static u64 count(unsigned int counter) {
    return READ_ONCE(ringside_page.vcpu[smp_processor_id()].counter[counter].raw);
}

static const struct back_end soft_pmu = {
    .name = "ringside_soft",
    .attributes = soft_attribute_groups,
    .config = counter_for,
    .fits_group = fits_group,
    .place = place,
    .count = count,
    .drain = ringside_drain_ring,
};

static int start_counting(size_t bytes) {
    int error = check_page(bytes);

    if (error) return error;
    ringside_page.address = pci_resource_start(the_device, IVSHMEM_MEMORY);
    ringside_page.mapped_bytes = bytes;
    ringside_page.back_end = &soft_pmu;
    error = check_counters();
    if (error) return error;
    silence();
    error = request_doorbells();
    if (error) return error;
    error = ringside_publish(&soft_pmu, true);
    if (error) free_doorbells(nr_cpu_ids);
    return error;
}

static int probe(struct pci_dev* device, const struct pci_device_id* id) {
    const size_t bytes = pci_resource_len(device, IVSHMEM_MEMORY);
    int error;

    /* Open events of a device that has left are of no use to another one. */
    if (the_device || ringside_page.back_end || ringside_has_events()) return -EBUSY;
    error = pcim_enable_device(device);
    if (error) return error;
    pci_set_master(device);
    memory = memremap(pci_resource_start(device, IVSHMEM_MEMORY), bytes, MEMREMAP_WB);
    if (!memory) return -ENOMEM;
    the_device = device;
    error = start_counting(bytes);
    if (error) {
        ringside_withdraw();
        the_device = NULL;
        memunmap(memory);
    }
    return error;
}

static void remove(struct pci_dev* device) {
    free_doorbells(nr_cpu_ids);
    ringside_withdraw();
    silence();
    memunmap(memory);
    the_device = NULL;
}

static const struct pci_device_id devices[] = {{PCI_DEVICE(IVSHMEM_VENDOR, IVSHMEM_DEVICE)}, {0}};
MODULE_DEVICE_TABLE(pci, devices);

/* An open event holds the module; nothing holds a device, which may be unplugged. */
static struct pci_driver soft_driver = {
    .name = "ringside_soft",
    .id_table = devices,
    .probe = probe,
    .remove = remove,
    .driver = {.suppress_bind_attrs = true},
};

int ivshmem_register(void) {
    return pci_register_driver(&soft_driver);
}

void ivshmem_unregister(void) {
    pci_unregister_driver(&soft_driver);
}
