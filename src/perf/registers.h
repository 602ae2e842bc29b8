// The instructions that read counters and clocks in user mode. Inline, because on the shortest way
// from a program to its counter a call is half of the cost. Each architecture has the same names:
//
//   lend_to_user_config1   what an event's config1 says so that user mode may read its counter
//   unwound_registers      sample_regs_user for unwinding a user stack, by asm/perf_regs.h
//   thread_mark()          a number that no other living thread of this process has, without a call
//   is_register(number)    whether the kernel's page names a register that we have an instruction
//   for:
//                          its index less one, where an index of 0 means none
//   read_register(number)  faults where user mode may not read it; only for one of is_register()
//   read_cycles()          the clock whose parameters the kernel's page gives
#pragma once

#if defined(__x86_64__)
#include "perf/arch/x86/registers.h"
#elif defined(__aarch64__)
#include "perf/arch/arm64/registers.h"
#endif
