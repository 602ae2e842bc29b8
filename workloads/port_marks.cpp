// Writes the numbers 1, 2, ... to an I/O port, as a guest's marks that its host sees as exits
// (kvm_pio), each between two system calls that the guest itself can record: getppid, the write,
// getpgid. Between the marks it works and sleeps unevenly, so that no stretch of its time looks
// like another.
//   port_marks COUNT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <sys/io.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr unsigned short free_port = 0x5a0;

void work_us(unsigned length_us) {
    timespec begin{};
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        ::clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1'000'000 + (now.tv_nsec - begin.tv_nsec) / 1000 <
             static_cast<long>(length_us));
}

void mark(unsigned number) {
    [[maybe_unused]] const pid_t before = ::getppid();
    ::outl(number, free_port);
    [[maybe_unused]] const pid_t after = ::getpgid(0);
}

}  // namespace

int main(int argc, char** argv) {
    const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
    if (::iopl(3) != 0) {
        std::perror("port_marks: iopl");
        return 1;
    }
    std::minstd_rand random(1);
    for (long i = 1; i <= count; ++i) {
        mark(static_cast<unsigned>(i));
        work_us(random() % 3000);
        ::usleep(random() % 8000);
    }
    return 0;
}
