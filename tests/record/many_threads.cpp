// Starts TOTAL threads, ALIVE of them at once, each of which computes a little.
//   many_threads TOTAL ALIVE
#include <cstdio>
#include <cstdlib>

#include <pthread.h>

namespace {

void* compute(void*) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 20000; ++i) sum = sum + i;
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const int total = std::atoi(argv[1]);
    const int alive = std::atoi(argv[2]);
    if (total < 1 || alive < 1) return 2;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 32u << 10);
    auto* threads = new pthread_t[static_cast<std::size_t>(alive)];
    int made = 0;
    while (made < total) {
        int batch = 0;
        for (; batch < alive && made < total; ++batch, ++made) {
            if (pthread_create(&threads[batch], &small, compute, nullptr) != 0) {
                std::fprintf(stderr, "only %d threads could be made\n", made);
                return 1;
            }
        }
        for (int i = 0; i < batch; ++i) pthread_join(threads[i], nullptr);
    }
    delete[] threads;
    return 0;
}
