// SPDX-License-Identifier: MIT OR GPL-2.0
/* Ringside's hypervisor (hyp/) behind the page, found in the device tree. Under its paravirtual
 * policy logical.c makes a PMU of it. Under the others the kernel has a PMU of its own; then the
 * page only tells which of its counters are starved. */
#include "hypervisor.h"

#include <linux/arm-smccc.h>
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/platform_device.h>

static void* memory;
static size_t memory_bytes;
static bool paravirtual;
static atomic64_t hypercalls;

bool hypervisor_ask(u32 function, const void* what) {
    struct arm_smccc_res answer;

    atomic64_inc(&hypercalls);
    arm_smccc_1_1_hvc(function, what ? virt_to_phys(what) : 0, &answer);
    return answer.a0 == HYPERCALL_OK;
}

u64 hypervisor_hypercalls(void) {
    return atomic64_read(&hypercalls);
}

/* The page, as its reader wants it. */
static int make_page(const char* policy) {
#define NAME(name) #name,
    static const char* const policies[] = {VPMU_PAGE_POLICIES(NAME)};
#undef NAME
    struct vpmu_page_header* header = &ringside_page.header;
    const int number = match_string(policies, ARRAY_SIZE(policies), policy);
    const size_t first = ALIGN(sizeof(*header), 64);
    const size_t end = first + nr_cpu_ids * sizeof(struct vpmu_page_vcpu);

    if (number < 0) return -ENODEV;
    memory_bytes = PAGE_ALIGN(end);
    memory = alloc_pages_exact(memory_bytes, GFP_KERNEL | __GFP_ZERO);
    if (!memory) return -ENOMEM;
    *header = (struct vpmu_page_header){
        .magic = VPMU_PAGE_MAGIC,
        .version = VPMU_PAGE_VERSION,
        .bytes = memory_bytes,
        .policy = number,
        .architecture = VPMU_PAGE_ARM64,
        .vcpu_count = nr_cpu_ids,
        .vcpu_offset = first,
        .thread_offset = end,
        .ring_offset = end,
    };
    memcpy(memory, header, sizeof(*header));
    ringside_page.vcpu = memory + first;
    ringside_page.address = virt_to_phys(memory);
    ringside_page.mapped_bytes = memory_bytes;
    return 0;
}

static void attach_this_cpu(void* result) {
    struct vpmu_page_vcpu* vcpu = &ringside_page.vcpu[smp_processor_id()];

    vcpu->thread = VPMU_PAGE_NO_THREAD;
    if (!hypervisor_ask(HYPERCALL_PMU_PAGE, vcpu)) *(int*)result = -ENODEV;
}

static void detach_this_cpu(void* unused) {
    hypervisor_ask(HYPERCALL_PMU_PAGE, NULL);
}

static void clean_up(void) {
    ringside_withdraw();
    on_each_cpu(detach_this_cpu, NULL, true);
    free_pages_exact(memory, memory_bytes);
    ringside_page = (struct ringside_page){};
}

static int probe(struct platform_device* device) {
    const char* policy;
    int error = of_property_read_string(device->dev.of_node, "ringside,vpmu", &policy);

    if (error) return error;
    if (ringside_page.back_end || ringside_has_events()) return -EBUSY;
    error = make_page(policy);
    if (error) return error;
    ringside_page.back_end = &hypervisor_back_end;
    paravirtual = strcmp(policy, "paravirtual") == 0;
    on_each_cpu(attach_this_cpu, &error, true);
    if (!error)
        error = paravirtual ? logical_start(device) : ringside_publish(&hypervisor_back_end, false);
    if (error) clean_up();
    return error;
}

static int remove(struct platform_device* device) {
    ringside_withdraw();
    if (paravirtual) logical_stop();
    clean_up();
    return 0;
}

static const struct of_device_id nodes[] = {{.compatible = "ringside,hyp"}, {}};

/* An open event holds the module; nothing holds a device that is unbound by hand. */
static struct platform_driver hypervisor_driver = {
    .probe = probe,
    .remove = remove,
    .driver = {.name = "ringside_vpmu", .of_match_table = nodes, .suppress_bind_attrs = true},
};

int hypervisor_register(void) {
    return platform_driver_register(&hypervisor_driver);
}

void hypervisor_unregister(void) {
    platform_driver_unregister(&hypervisor_driver);
}
