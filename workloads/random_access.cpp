// Changes words of a large table in random order, all threads at once. Doing it twice must give the
// first table back, because the exclusive or of two equal words is none.
#include <atomic>

#include "parallel.h"

using namespace ringside::workloads;

constexpr long streams = 64;  // however many threads there are

// `steps` updates for each word of the table.
[[gnu::noinline]] static void update(std::vector<std::uint64_t>& table, long steps) {
    const long updates = static_cast<long>(table.size()) * steps / streams;
#pragma omp parallel for schedule(static)
    for (long stream = 0; stream < streams; ++stream) {
        Random random(stream);
        for (long i = 0; i < updates; ++i) {
            const std::uint64_t value = random.next();
            std::atomic_ref word(table[value % table.size()]);
            word.fetch_xor(value, std::memory_order_relaxed);
        }
    }
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {1000000, 2}, "words of eight bytes in the table");
    omp_set_num_threads(work.threads);
    std::vector<std::uint64_t> table(work.size);
    for (long i = 0; i < work.size; ++i) table[i] = i;
    update(table, work.steps);
    std::uint64_t sum = 0;
    for (long i = 0; i < work.size; ++i) sum = (sum ^ table[i]) * 0x100000001b3;
    update(table, work.steps);
    double wrong = 0;
    for (long i = 0; i < work.size; ++i) wrong += table[i] != static_cast<std::uint64_t>(i);
    return finish("random access", wrong, 0, sum);
}
