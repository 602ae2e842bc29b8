// A program with a function to probe: calls it as often as its argument says.
//   many_calls CALLS
#include <cstdlib>

extern "C" __attribute__((noinline)) void called_many_times() {
    asm volatile("");
}

int main(int argc, char** argv) {
    const long calls = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
    for (long i = 0; i < calls; ++i) called_many_times();
    return 0;
}
