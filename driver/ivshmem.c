// SPDX-License-Identifier: MIT OR GPL-2.0
/* The ivshmem device behind which a soft PMU counts: its memory is the page, its interrupts are the
 * doorbells, one for each vCPU. Programs may map the page, and read what each vCPU counted. */
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "driver.h"

#define IVSHMEM_VENDOR 0x1af4
#define IVSHMEM_DEVICE 0x1110
#define IVSHMEM_MEMORY 2 /* the BAR */

struct soft_page soft_page;
static struct pci_dev* the_device;
static void* memory;

static bool inside(u32 offset, u64 count, size_t each) {
    return offset % 8 == 0 && offset >= sizeof(soft_page.header) &&
           offset + count * each <= soft_page.header.bytes;
}

/* Other devices of this kind have other things in their memory. */
static int check_page(size_t bytes) {
    struct vpmu_page_header* header = &soft_page.header;
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
    soft_page.vcpu = memory + header->vcpu_offset;
    soft_page.alarms = memory + header->alarm_offset;
    soft_page.ring = memory + header->ring_offset;
    return 0;
}

static void silence(void) {
    int cpu;
    int counter;

    for_each_possible_cpu(cpu) {
        for (counter = 0; counter < (int)VPMU_PAGE_COUNTERS; ++counter)
            WRITE_ONCE(soft_page.alarms[cpu].counter[counter].limit, VPMU_PAGE_NEVER);
        per_cpu(soft_cpu, cpu).tail = READ_ONCE(soft_page.vcpu[cpu].ring_head);
    }
}

static noinline u64 count_loop(unsigned long turns) {
    const u64 before = soft_raw(SOFT_INSTRUCTIONS);

    while (turns-- > 0) barrier();
    return soft_raw(SOFT_INSTRUCTIONS) - before;
}

/* Is this CPU the vCPU that the page has at its place? Loops must count as loops do. */
static void check_this_cpu(void* result) {
    const u64 one = count_loop(1000);
    const u64 two = count_loop(2000);
    const u64 three = count_loop(3000);

    if (three - two != two - one || two - one < 1000) *(int*)result = -ENODEV;
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
    soft_drain();
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

static int map_page(struct file* file, struct vm_area_struct* area) {
    if (area->vm_flags & VM_WRITE) return -EPERM;
    area->vm_flags &= ~VM_MAYWRITE;
    return vm_iomap_memory(area, pci_resource_start(the_device, IVSHMEM_MEMORY),
                           pci_resource_len(the_device, IVSHMEM_MEMORY));
}

static const struct file_operations page_operations = {
    .owner = THIS_MODULE,
    .mmap = map_page,
};

/* It shows what all that runs on a CPU does: for root, who may give it to others. */
static struct miscdevice page_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "ringside_soft",
    .fops = &page_operations,
    .mode = 0400,
};

static int publish(void) {
    int error = perf_pmu_register(&soft_pmu, "ringside_soft", -1);

    if (error) return error;
    error = misc_register(&page_device);
    if (error) perf_pmu_unregister(&soft_pmu);
    return error;
}

static int start_counting(size_t bytes) {
    int error = check_page(bytes);

    if (error) return error;
    error = check_counters();
    if (error) return error;
    silence();
    error = request_doorbells();
    if (error) return error;
    error = publish();
    if (error) free_doorbells(nr_cpu_ids);
    return error;
}

static int probe(struct pci_dev* device, const struct pci_device_id* id) {
    const size_t bytes = pci_resource_len(device, IVSHMEM_MEMORY);
    int error;

    if (the_device) return -EBUSY;
    error = pcim_enable_device(device);
    if (error) return error;
    pci_set_master(device);
    memory = memremap(pci_resource_start(device, IVSHMEM_MEMORY), bytes, MEMREMAP_WB);
    if (!memory) return -ENOMEM;
    the_device = device;
    error = start_counting(bytes);
    if (error) {
        the_device = NULL;
        memunmap(memory);
    }
    return error;
}

static void remove(struct pci_dev* device) {
    misc_deregister(&page_device);
    perf_pmu_unregister(&soft_pmu);
    silence();
    free_doorbells(nr_cpu_ids);
    memunmap(memory);
    the_device = NULL;
}

static const struct pci_device_id devices[] = {{PCI_DEVICE(IVSHMEM_VENDOR, IVSHMEM_DEVICE)}, {0}};
MODULE_DEVICE_TABLE(pci, devices);

/* An open event holds the module; nothing holds a device that is unbound by hand. */
static struct pci_driver soft_driver = {
    .name = "ringside_soft",
    .id_table = devices,
    .probe = probe,
    .remove = remove,
    .driver = {.suppress_bind_attrs = true},
};
module_pci_driver(soft_driver);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_AUTHOR("The Ringside authors");
MODULE_DESCRIPTION("perf events counted in software by Ringside's plugin for QEMU");
