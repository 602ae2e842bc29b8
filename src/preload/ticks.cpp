#include "preload/ticks.h"

#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace ringside::preload {

#if defined(__x86_64__) || defined(__i386__)
namespace {

// CPUID 80000007H, EDX bit 8 (Intel SDM vol. 3, 18.17.1): an invariant TSC. Hypervisors often hide
// it.
bool cpuid_says_constant() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

// What the kernel itself keeps time by is good enough for us.
bool kernel_trusts_tsc() {
    const long fd = ::syscall(SYS_openat, AT_FDCWD,
                              "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                              O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char name[8] = {};
    const long got = ::syscall(SYS_read, fd, name, sizeof name - 1);
    ::syscall(SYS_close, fd);
    return got >= 4 && std::memcmp(name, "tsc\n", 4) == 0;
}

}  // namespace

bool ticks_are_constant() {
    return cpuid_says_constant() || kernel_trusts_tsc();
}
#elif defined(__aarch64__)
bool ticks_are_constant() {
    return true;  // the generic timer: one system counter at a fixed frequency for all CPUs
}
#else
bool ticks_are_constant() {
    return false;
}
#endif

}  // namespace ringside::preload
