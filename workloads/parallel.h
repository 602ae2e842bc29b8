// Sums with OpenMP that do not depend on the number of threads.
#pragma once

#include <omp.h>

#include "workload.h"

namespace ringside::workloads {

// The sum of f(0) to f(count - 1), to the last bit the same with any number of threads: blocks of a
// fixed length are added up, then their sums in order.
template <typename F>
double ordered_sum(long count, const F& f) {
    constexpr long block = 1024;
    const long blocks = (count + block - 1) / block;
    std::vector<double> sums(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static)
    for (long b = 0; b < blocks; ++b) {
        double sum = 0;
        for (long i = b * block; i < std::min(count, (b + 1) * block); ++i) sum += f(i);
        sums[static_cast<std::size_t>(b)] = sum;
    }
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

}  // namespace ringside::workloads
