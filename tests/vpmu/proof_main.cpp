// The proof as a program: `vpmu_proof STEPS` takes that many random steps, spread over every setup,
// and names the first promise that was broken.
#include <cstdio>
#include <cstdlib>

#include "world.h"

int main(int argc, char** argv) {
    using namespace ringside::vpmu::proof;
    const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const auto setups = all_setups();
    std::uint64_t taken = 0;
    for (Setup setup : setups) {
        setup.seed = seed;
        World world(setup);
        const std::uint64_t share = wanted / setups.size() + 1;
        while (world.steps() < share && !world.violation()) world.step();
        taken += world.steps();
        if (world.violation()) {
            std::printf("broken: %s (%s)\n", world.violation()->invariant.c_str(),
                        world.violation()->detail.c_str());
            return 1;
        }
    }
    std::printf("%llu steps in %zu setups, nothing broken\n",
                static_cast<unsigned long long>(taken), setups.size());
}
