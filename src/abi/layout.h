/* What the layouts of this folder are written with. Each of them is shared over a boundary: between
 * programs, between a guest and its hypervisor, between a kernel and a program. So they are plain C
 * that a kernel's compiler and a freestanding one read too (io_table.h also one for BPF), have one
 * size on every machine, are little-endian, and promise that below each struct. Whoever changes one
 * changes its magic or version. */
#ifndef RINGSIDE_ABI_LAYOUT_H
#define RINGSIDE_ABI_LAYOUT_H

/* There is no stdint.h for BPF; io_table.h has types of its own. */
#if defined(__KERNEL__)
#include <linux/types.h>
#elif !defined(__bpf__)
#include <stdint.h>
#endif

#ifdef __cplusplus
#define ABI_ASSERT(what) static_assert(what, #what)
#else
#define ABI_ASSERT(what) _Static_assert(what, #what)
#endif
#define ABI_SIZE(type, size_bytes) ABI_ASSERT(sizeof(struct type) == (size_bytes))
#define ABI_OFFSET(type, field, offset_bytes) \
    ABI_ASSERT(__builtin_offsetof(struct type, field) == (offset_bytes))

#endif
