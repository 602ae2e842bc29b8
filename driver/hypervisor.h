/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* Between the hypervisor's page (hypervisor.c) and its counters (logical.c). */
#ifndef RINGSIDE_DRIVER_HYPERVISOR_H
#define RINGSIDE_DRIVER_HYPERVISOR_H

#include "abi/hypercall.h"
#include "driver.h"

struct platform_device;

/* False if it refused. `what` lies in the kernel's linear map, or is null. */
bool hypervisor_ask(u32 function, const void* what);
u64 hypervisor_hypercalls(void); /* so far */

extern const struct back_end hypervisor_back_end;
/* Tries the counters and publishes them as a PMU. */
int logical_start(struct platform_device* device);
void logical_stop(void);

#endif
