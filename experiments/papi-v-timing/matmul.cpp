// The measured program: a naive matrix multiply, again and again on CPU 0, each time with all
// clocks.
//   matmul MULTIPLICATIONS SECONDS
// A row is MULTIPLICATIONS products of 128 x 128 matrices. Begin and end are CLOCK_REALTIME.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include <ringside/clocks.h>

namespace {

using namespace ringside;

constexpr std::size_t size = 128;
using Matrix = std::vector<double>;

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < size; ++k) sum += a[i * size + k] * b[k * size + j];
            c[i * size + j] = sum;
        }
    }
}

std::int64_t wall_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string difference(const std::optional<std::uint64_t>& from,
                       const std::optional<std::uint64_t>& to) {
    return from && to ? std::to_string(*to - *from) : "";
}

void measure(const Clock& clock, unsigned long multiplications, Matrix& c) {
    const Matrix a(size * size, 1.5);
    const Matrix b(size * size, 0.5);
    const std::int64_t begin_ns = wall_ns();
    const Times from = clock.read();
    for (unsigned long i = 0; i < multiplications; ++i) multiply(a, b, c);
    const Times to = clock.read();
    fmt::print("{},{},{},{},{},{},{},{}\n", begin_ns, wall_ns(), to.real_ns - from.real_ns,
               difference(from.cpu_ns, to.cpu_ns), difference(from.occupied_ns, to.occupied_ns),
               difference(from.steal.ns, to.steal.ns),
               difference(from.compensated_ns, to.compensated_ns), to_string(to.steal.method));
}

}  // namespace

int main(int argc, char** argv) {
    const auto multiplications = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
    if (argc != 3 || multiplications == 0 || !(seconds > 0 && seconds < 3600)) {
        std::fputs("usage: matmul MULTIPLICATIONS SECONDS\n", stderr);
        return 2;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    const auto clocks = Clocks::open();
    const auto clock = clocks.thread();
    if (!clock) {
        fmt::print(stderr, "{}\n", clock.error().what);
        return 1;
    }
    std::puts("begin,end,real,cpu,occupied,steal,compensated,method");
    Matrix c(size * size);
    const std::uint64_t end_ns = real_ns() + static_cast<std::uint64_t>(seconds * 1e9);
    while (real_ns() < end_ns) measure(*clock, multiplications, c);
    return c[0] == 0.75 * size ? 0 : 1;
}
