/* driver/ivshmem.c, and ways to what is static in it. */
#include "driver/ivshmem.c"

static struct pci_dev the_only_device;

int ivshmem_plug(void) {
    the_only_device.bytes = 1 << 20;
    return probe(&the_only_device, devices);
}

void ivshmem_unplug(void) {
    remove(&the_only_device);
}

void ivshmem_ring(void) {
    on_doorbell(0, &the_only_device);
}

uint64_t ivshmem_lost(void) {
    return per_cpu(ringside_cpu, machine_cpu).lost;
}
