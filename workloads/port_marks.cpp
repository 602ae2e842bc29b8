// Numbered marks that a guest and its host can both record: the nth is a write to I/O port
// 0x2000 + n, which the host sees as an exit (kvm_pio). Each is one pwritev() to /dev/port, a
// system call that nobody else makes, with the port as its position. Between the marks it works and
// sleeps unevenly, so that no stretch of its time looks like another.
//   port_marks COUNT
#include <cstdio>
#include <cstdlib>
#include <random>

#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr off_t first_port = 0x2000;

void work_us(long length_us) {
    timespec begin{};
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        ::clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1'000'000 + (now.tv_nsec - begin.tv_nsec) / 1000 <
             length_us);
}

bool mark(int ports, long number) {
    char nothing = 0;
    const iovec part{&nothing, 1};
    return ::pwritev(ports, &part, 1, first_port + number) == 1;
}

}  // namespace

int main(int argc, char** argv) {
    const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
    const int ports = ::open("/dev/port", O_WRONLY | O_CLOEXEC);
    std::minstd_rand random(1);
    for (long i = 1; i <= count; ++i) {
        if (!mark(ports, i)) {
            std::perror("port_marks: /dev/port");
            return 1;
        }
        work_us(static_cast<long>(random() % 3000));
        ::usleep(static_cast<useconds_t>(random() % 8000));
    }
    return 0;
}
