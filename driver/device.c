// SPDX-License-Identifier: MIT OR GPL-2.0
/* What all back ends share: perf's PMU, and a file from which programs map the page, and read what
 * each vCPU counted. */
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "driver.h"

struct ringside_page ringside_page;

/* Programs map the page through one inode, whichever they opened, so that all of them lose it when
 * the device leaves: what comes to lie there is not for them. A page is mapped when it is touched;
 * afterwards that is a SIGBUS. */
static DEFINE_MUTEX(mappings_lock); /* over these, and over what maps */
static struct inode* mappings;
static unsigned int openers;

static int open_page(struct inode* inode, struct file* file) {
    mutex_lock(&mappings_lock);
    if (openers++ == 0) {
        ihold(inode);
        mappings = inode;
    }
    file->f_mapping = mappings->i_mapping;
    mutex_unlock(&mappings_lock);
    return 0;
}

static int close_page(struct inode* inode, struct file* file) {
    mutex_lock(&mappings_lock);
    if (--openers == 0) {
        iput(mappings);
        mappings = NULL;
    }
    mutex_unlock(&mappings_lock);
    return 0;
}

static vm_fault_t map_touched(struct vm_fault* fault) {
    const unsigned long first = ringside_page.address >> PAGE_SHIFT;
    vm_fault_t result = VM_FAULT_SIGBUS;

    mutex_lock(&mappings_lock);
    if (ringside_page.back_end && fault->pgoff < ringside_page.mapped_bytes >> PAGE_SHIFT)
        result = vmf_insert_pfn(fault->vma, fault->address, first + fault->pgoff);
    mutex_unlock(&mappings_lock);
    return result;
}

static const struct vm_operations_struct mapping_operations = {.fault = map_touched};

static int map_page(struct file* file, struct vm_area_struct* area) {
    if (area->vm_flags & VM_WRITE) return -EPERM;
    area->vm_flags &= ~VM_MAYWRITE;
    area->vm_flags |= VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP;
    area->vm_ops = &mapping_operations;
    return 0;
}

static const struct file_operations page_operations = {
    .owner = THIS_MODULE,
    .open = open_page,
    .release = close_page,
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

static bool published;

int ringside_publish(const struct back_end* back_end, bool with_pmu) {
    int error = with_pmu ? ringside_register_pmu(back_end) : 0;

    if (error) return error;
    page_device.name = back_end->name;
    page_device.minor = MISC_DYNAMIC_MINOR;
    error = misc_register(&page_device);
    published = !error;
    return error;
}

void ringside_withdraw(void) {
    if (published) misc_deregister(&page_device);
    published = false;
    mutex_lock(&mappings_lock);
    WRITE_ONCE(ringside_page.back_end, NULL);
    if (mappings) unmap_mapping_range(mappings->i_mapping, 0, 0, 1);
    mutex_unlock(&mappings_lock);
    /* perf calls us with interrupts off, which is a read-side critical section. */
    synchronize_rcu();
}

static int __init load(void) {
    int error = ivshmem_register();

    if (error) return error;
    error = hypervisor_register();
    if (!error) return 0;
    ivshmem_unregister();
    ringside_unregister_pmu();
    return error;
}

static void __exit unload(void) {
    hypervisor_unregister();
    ivshmem_unregister();
    ringside_unregister_pmu();
}

module_init(load);
module_exit(unload);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_AUTHOR("The Ringside authors");
MODULE_DESCRIPTION("perf events of the pages that Ringside shares with a guest");
