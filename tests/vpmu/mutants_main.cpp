// `vpmu_mutants NAME`: runs the proof with this one fault of mutants.txt in the engine, and
// succeeds if the proof names a promise that the fault breaks. Without a NAME there is no fault,
// and nothing may be broken.
#include <cstdio>
#include <cstring>
#include <string>

#include "base/text.h"
#include "mutant_names.h"
#include "proofs.h"

int ringside_mutant = 0;

namespace {

using namespace ringside;

std::optional<vpmu::proof::Violation> prove() {
    using namespace vpmu::proof;
    constexpr std::uint64_t steps = 1'000'000;
    std::uint64_t orders = 0;
    auto broken = random_worlds(steps, 1);
    if (!broken) broken = random_threads(steps / 10, 1);
    if (!broken) broken = lazy_against_mediated(steps / 10, 1);
    if (!broken) broken = every_order(3, orders);
    return broken;
}

int judge(const MutantName& mutant) {
    const auto broken = prove();
    for (const auto promise : base::split_words(mutant.fails)) {
        if (!broken || broken->invariant != promise) continue;
        std::printf("%s: found, broken: %s (%s)\n", mutant.name, broken->invariant.c_str(),
                    broken->detail.c_str());
        return 0;
    }
    std::printf("%s: NOT FOUND, the proof said: %s\n", mutant.name,
                broken ? broken->invariant.c_str() : "nothing broken");
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) {
        const auto broken = prove();
        std::printf("no fault planted: %s\n", broken ? broken->detail.c_str() : "nothing broken");
        return broken ? 1 : 0;
    }
    for (const MutantName& mutant : mutant_names) {
        ++ringside_mutant;
        if (std::strcmp(mutant.name, argv[1]) == 0) return judge(mutant);
    }
    std::printf("no mutant is called %s\n", argv[1]);
    return 2;
}
