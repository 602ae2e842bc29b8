// A guest that writes over all of the page it shares with the soft PMU: its header, its counts, its
// ring, and alarms that are due at once and always. Must be run without the driver.
//   soft_forge RESOURCE2
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/vpmu_page.h"
#include "trust/loops.h"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const int fd = ::open(argv[1], O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0) return std::perror(argv[1]), 1;
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return std::perror("mmap"), 1;
    vpmu_page_header header{};
    std::memcpy(&header, memory, sizeof header);
    auto* alarms =
        reinterpret_cast<vpmu_page_alarms*>(static_cast<char*>(memory) + header.alarm_offset);
    // Due at once, at every instruction, with a ring that already claims to be full.
    std::memset(memory, 0xff, header.alarm_offset);
    std::memset(alarms, 0, header.vcpu_count * sizeof(vpmu_page_alarms));
    ringside::trust::counted_loop(1000);
    // Nothing at all.
    std::memset(memory, 0, header.alarm_offset);
    ringside::trust::counted_loop(1000);
    std::memset(alarms, 0xff, header.vcpu_count * sizeof(vpmu_page_alarms));
    std::printf("forged %u\n", header.bytes);
    return 0;
}
