// SPDX-License-Identifier: MIT OR GPL-2.0
/* What sysfs says of the soft PMU: its events, those that the page counts. */
#include "driver.h"
#include "abi/soft_counts.h"

struct soft_event {
    struct device_attribute attribute;
    unsigned int counter;
};

static ssize_t show_event(struct device* device, struct device_attribute* attribute, char* into) {
    const struct soft_event* event = container_of(attribute, struct soft_event, attribute);

    return sysfs_emit(into, "event=0x%x\n", event->counter);
}

#define SOFT_EVENT_ATTRIBUTE(variable, text, index)                              \
    static struct soft_event variable = {                                        \
        .attribute = {.attr = {.name = text, .mode = 0444}, .show = show_event}, \
        .counter = index,                                                        \
    }

/* The names of data/soft/events.csv. */
SOFT_EVENT_ATTRIBUTE(instructions, "instructions", SOFT_INSTRUCTIONS);
SOFT_EVENT_ATTRIBUTE(kernel_instructions, "kernel-instructions", SOFT_KERNEL_INSTRUCTIONS);
SOFT_EVENT_ATTRIBUTE(branches, "branches", SOFT_BRANCHES);
SOFT_EVENT_ATTRIBUTE(taken_branches, "taken-branches", SOFT_TAKEN_BRANCHES);
SOFT_EVENT_ATTRIBUTE(loads, "loads", SOFT_LOADS);
SOFT_EVENT_ATTRIBUTE(stores, "stores", SOFT_STORES);
SOFT_EVENT_ATTRIBUTE(io, "io", SOFT_IO);
SOFT_EVENT_ATTRIBUTE(branch_misses, "branch-misses-model", SOFT_BRANCH_MISS_MODEL);
SOFT_EVENT_ATTRIBUTE(l1_misses, "L1-dcache-misses-model", SOFT_L1D_MISS_MODEL);
SOFT_EVENT_ATTRIBUTE(l2_misses, "L2-misses-model", SOFT_L2_MISS_MODEL);
SOFT_EVENT_ATTRIBUTE(load_tlb_misses, "dTLB-load-misses-model", SOFT_DTLB_LOAD_MISS_MODEL);
SOFT_EVENT_ATTRIBUTE(store_tlb_misses, "dTLB-store-misses-model", SOFT_DTLB_STORE_MISS_MODEL);

static struct attribute* event_attributes[] = {
    &instructions.attribute.attr,
    &kernel_instructions.attribute.attr,
    &branches.attribute.attr,
    &taken_branches.attribute.attr,
    &loads.attribute.attr,
    &stores.attribute.attr,
    &io.attribute.attr,
    &branch_misses.attribute.attr,
    &l1_misses.attribute.attr,
    &l2_misses.attribute.attr,
    &load_tlb_misses.attribute.attr,
    &store_tlb_misses.attribute.attr,
    NULL,
};

static umode_t visible_if_counted(struct kobject* object, struct attribute* attribute, int index) {
    const struct soft_event* event = container_of(attribute, struct soft_event, attribute.attr);

    return READ_ONCE(ringside_page.vcpu[0].active) >> event->counter & 1 ? attribute->mode : 0;
}

static const struct attribute_group event_group = {
    .name = "events",
    .attrs = event_attributes,
    .is_visible = visible_if_counted,
};

PMU_FORMAT_ATTR(event, "config:0-7");
static struct attribute* format_attributes[] = {&format_attr_event.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = format_attributes};

const struct attribute_group* soft_attribute_groups[] = {&event_group, &format_group,
                                                         &ringside_sample_group, NULL};
