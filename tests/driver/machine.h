/* The machine that driver/ finds itself in, as its tests make it: hostile where they say so. */
#ifndef RINGSIDE_TESTS_DRIVER_MACHINE_H
#define RINGSIDE_TESTS_DRIVER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#else
#define thread_local _Thread_local
#endif

enum { MACHINE_CPUS = 4 };

/* ---- what the driver calls */
extern thread_local int machine_cpu;
void machine_on_each_cpu(void (*what)(void*), void* with); /* at the same time, in lockstep */
void machine_on_cpu(int cpu, void (*what)(void*), void* with);
void machine_execute(void); /* an instruction, which is counted */
void machine_warn(void);
void machine_sampled(uint64_t ip);
uint64_t machine_read_register(const char* name);
void* machine_device_memory(void);
void machine_take_device_memory(void);

/* ---- what the tests set and look at */
extern unsigned machine_warnings;
extern uint64_t machine_samples;
extern uint64_t machine_register;           /* what every counter reads; 0: what was executed */
extern uint64_t* machine_raw[MACHINE_CPUS]; /* where a device counts instructions */
/* The hypervisor's counters for each CPU, and how often each was asked for. */
extern unsigned machine_granted[MACHINE_CPUS];
extern unsigned machine_asked[MACHINE_CPUS][64];
void machine_have_device(size_t bytes); /* zeros; whoever looks at it after it was taken dies */
void machine_attach_page(void* vcpus);  /* the hypervisor's; null: none any more */

/* ---- the driver: what of it is static otherwise */
struct driver_event; /* struct perf_event */
struct driver_event* driver_open_event(uint64_t config, uint64_t sample_period, int* error);
struct driver_event* driver_inherit(struct driver_event* event, int* error);
int driver_add(struct driver_event* event);
void driver_delete(struct driver_event* event);
int64_t driver_read(struct driver_event* event);
unsigned driver_index(struct driver_event* event);
void driver_close(struct driver_event* event);
int logical_try_counters(void); /* how many, or an error */
void logical_forget_counters(void);
uint64_t logical_count(unsigned counter);
int ivshmem_plug(void);
void ivshmem_unplug(void);
void ivshmem_ring(void); /* the doorbell */
uint64_t ivshmem_lost(void);

#ifdef __cplusplus
}
#endif

#endif
