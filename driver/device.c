// SPDX-License-Identifier: MIT OR GPL-2.0
/* What all back ends share: perf's PMU, and a file from which programs map the page, and read what
 * each vCPU counted. */
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "driver.h"

struct ringside_page ringside_page;
static bool has_pmu;

static int map_page(struct file* file, struct vm_area_struct* area) {
    if (area->vm_flags & VM_WRITE) return -EPERM;
    area->vm_flags &= ~VM_MAYWRITE;
    return ringside_page.back_end->map(area);
}

static const struct file_operations page_operations = {
    .owner = THIS_MODULE,
    .mmap = map_page,
};

/* Counters that the kernel believes to run, and that do not, by CPU; and for how long that was so
 * all in all. */
static ssize_t starved_show(struct device* device, struct device_attribute* attribute, char* into) {
    int length = 0;
    int cpu;

    for_each_possible_cpu(cpu) length += sysfs_emit_at(into, length, "cpu%d 0x%llx\n", cpu,
                                                       READ_ONCE(ringside_page.vcpu[cpu].starved));
    return length;
}
static DEVICE_ATTR_RO(starved);

static ssize_t starved_ns_show(struct device* device, struct device_attribute* attribute,
                               char* into) {
    u64 sum = 0;
    int cpu;

    for_each_possible_cpu(cpu) sum += READ_ONCE(ringside_page.vcpu[cpu].starved_ns);
    return sysfs_emit(into, "%llu\n", sum);
}
static DEVICE_ATTR_RO(starved_ns);

static struct attribute* page_attrs[] = {&dev_attr_starved.attr, &dev_attr_starved_ns.attr, NULL};
ATTRIBUTE_GROUPS(page);

/* It shows what all that runs on a CPU does: for root, who may give it to others. */
static struct miscdevice page_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .fops = &page_operations,
    .groups = page_groups,
    .mode = 0400,
};

int ringside_publish(const struct back_end* back_end, bool with_pmu) {
    int error = 0;

    has_pmu = with_pmu;
    ringside_page.back_end = back_end;
    ringside_pmu.attr_groups = back_end->attributes;
    if (with_pmu) error = perf_pmu_register(&ringside_pmu, back_end->name, -1);
    if (error) return error;
    page_device.name = back_end->name;
    page_device.minor = MISC_DYNAMIC_MINOR;
    error = misc_register(&page_device);
    if (error && with_pmu) perf_pmu_unregister(&ringside_pmu);
    return error;
}

void ringside_withdraw(void) {
    misc_deregister(&page_device);
    if (has_pmu) perf_pmu_unregister(&ringside_pmu);
}

static int __init load(void) {
    int error = ivshmem_register();

    if (error) return error;
    error = hypervisor_register();
    if (error) ivshmem_unregister();
    return error;
}

static void __exit unload(void) {
    hypervisor_unregister();
    ivshmem_unregister();
}

module_init(load);
module_exit(unload);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_AUTHOR("The Ringside authors");
MODULE_DESCRIPTION("perf events of the pages that Ringside shares with a guest");
