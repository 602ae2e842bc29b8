// The cost of one call, as the median over batches, and its ratio to a peer's in the same run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace ringside::bench {

template <typename Call>
double median_ns(Call&& call, int calls_per_batch) {
    constexpr int batches = 51;
    std::vector<double> costs;
    for (int batch = 0; batch < batches; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls_per_batch; ++i) call();
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - start;
        costs.push_back(spent.count() / calls_per_batch);
    }
    std::nth_element(costs.begin(), costs.begin() + batches / 2, costs.end());
    return costs[batches / 2];
}

inline void print_heading() {
    std::printf("| operation | ns | peer | ns | ratio |\n|---|---|---|---|---|\n");
}

inline void print_row(const char* operation, double ours_ns, const char* peer, double peer_ns) {
    std::printf("| %s | %.1f | %s | %.1f | %.2f |\n", operation, ours_ns, peer, peer_ns,
                ours_ns / peer_ns);
}

}  // namespace ringside::bench
