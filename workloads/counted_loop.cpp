// Executes the loop of trust/loops.h as often as its argument says: two instructions and a branch
// each time. What two runs differ in is exact on every machine that counts at all.
//   counted_loop ITERATIONS
#include <cstdio>
#include <cstdlib>

#include "trust/loops.h"

int main(int argc, char** argv) {
    const auto iterations = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
    if (iterations == 0) {
        std::fprintf(stderr, "usage: counted_loop ITERATIONS\n");
        return 2;
    }
    ringside::trust::counted_loop(iterations);
    return 0;
}
