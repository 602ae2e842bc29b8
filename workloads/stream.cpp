// Streams through three long vectors: copy, scale, add, triad. Their elements are all equal, so
// that one element computed alone says what they must be.
#include <cmath>

#include "parallel.h"

using namespace ringside::workloads;

using Values = std::vector<double>;
constexpr double factor = 0.4142135;  // keeps the values near 1

[[gnu::noinline]] static void copy(const Values& a, Values& c) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i];
}

[[gnu::noinline]] static void scale(const Values& c, Values& b) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < c.size(); ++i) b[i] = factor * c[i];
}

[[gnu::noinline]] static void add(const Values& a, const Values& b, Values& c) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] + b[i];
}

[[gnu::noinline]] static void triad(const Values& b, const Values& c, Values& a) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < b.size(); ++i) a[i] = b[i] + factor * c[i];
}

static double one_element(long steps) {
    double a = 1;
    for (long i = 0; i < steps; ++i) a = factor * a + factor * (a + factor * a);
    return a;
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {1000000, 20}, "elements of each of three vectors");
    omp_set_num_threads(work.threads);
    Values a(work.size, 1.0), b(work.size), c(work.size);
    for (long i = 0; i < work.steps; ++i) {
        copy(a, c);
        scale(c, b);
        add(a, b, c);
        triad(b, c, a);
    }
    const double right = one_element(work.steps);
    const double wrong = ordered_sum(work.size, [&](long i) { return std::abs(a[i] - right); });
    return finish("stream", wrong / right, 0, checksum(a));
}
