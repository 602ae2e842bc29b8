// The proofs as a program: `vpmu_proof STEPS [SEED [DEPTH]]` names the first promise that is
// broken.
#include <cstdio>
#include <cstdlib>

#include "proofs.h"

int main(int argc, char** argv) {
    using namespace ringside::vpmu::proof;
    const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const unsigned depth = argc > 3 ? unsigned(std::strtoul(argv[3], nullptr, 10)) : 3;
    std::uint64_t orders = 0;
    auto broken = random_worlds(steps, seed);
    if (!broken) broken = random_threads(steps / 10, seed);
    if (!broken) broken = lazy_against_mediated(steps / 10, seed);
    if (!broken) broken = every_order(depth, orders);
    if (broken) {
        std::printf("broken: %s (%s)\n", broken->invariant.c_str(), broken->detail.c_str());
        return 1;
    }
    std::printf("%llu random steps and %llu orders of depth %u: nothing broken\n",
                static_cast<unsigned long long>(steps + steps / 5),
                static_cast<unsigned long long>(orders), depth);
}
