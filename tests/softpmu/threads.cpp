// Threads that execute a known number of instructions each: threads COUNT ITERATIONS
#include <cstdlib>
#include <thread>
#include <vector>

#include "trust/loops.h"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const auto iterations = std::strtoull(argv[2], nullptr, 10);
    std::vector<std::thread> threads;
    for (int i = 0; i < std::atoi(argv[1]); ++i) {
        threads.emplace_back([iterations] { ringside::trust::counted_loop(iterations); });
    }
    for (auto& thread : threads) thread.join();
    return 0;
}
