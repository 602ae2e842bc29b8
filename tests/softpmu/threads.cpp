// Threads that execute a known number of instructions each, and almost nothing else, as the first
// one does before it begins them: threads COUNT ITERATIONS
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>

#include "trust/loops.h"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::uint64_t iterations = std::strtoull(argv[2], nullptr, 10);
    // From here on QEMU makes code for several threads, so the second one begins with code that the
    // first has executed.
    void* shared = mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    const auto work = [](void* rounds) -> void* {
        ringside::trust::counted_loop(*static_cast<std::uint64_t*>(rounds));
        return nullptr;
    };
    work(&iterations);
    std::vector<pthread_t> threads(static_cast<std::size_t>(std::atoi(argv[1])));
    for (auto& thread : threads) {
        if (pthread_create(&thread, nullptr, work, &iterations) != 0) return 1;
    }
    for (const auto thread : threads) pthread_join(thread, nullptr);
    return 0;
}
