// Threads that pass a number round in pipes: nearly all of the time goes into switching from one to
// the other. SIZE is how many threads stand in the ring, however many CPUs there are.
#include <system_error>

#include <unistd.h>

#include "workload.h"

using namespace ringside::workloads;

struct Pipe {
    int ends[2];
};

static std::vector<Pipe> make_pipes(long count) {
    std::vector<Pipe> pipes(count);
    for (auto& pipe : pipes) {
        if (::pipe(pipe.ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    }
    return pipes;
}

// Each changes the number in a way of its own, in which order matters.
static std::uint64_t change(std::uint64_t number, long station) {
    return number * 6364136223846793005 + static_cast<std::uint64_t>(station) + 1;
}

[[gnu::noinline]] static std::uint64_t receive(const Pipe& pipe) {
    std::uint64_t number = 0;
    if (::read(pipe.ends[0], &number, sizeof number) != sizeof number) std::abort();
    return number;
}

[[gnu::noinline]] static void send(const Pipe& pipe, std::uint64_t number) {
    if (::write(pipe.ends[1], &number, sizeof number) != sizeof number) std::abort();
}

static std::uint64_t pass_round(long stations, long rounds) {
    const auto pipes = make_pipes(stations);
    std::vector<std::thread> threads;
    for (long station = 1; station < stations; ++station) {
        threads.emplace_back([&, station] {
            for (long i = 0; i < rounds; ++i) {
                send(pipes[(station + 1) % stations], change(receive(pipes[station]), station));
            }
        });
    }
    std::uint64_t number = 0;
    for (long i = 0; i < rounds; ++i) {
        send(pipes[1 % stations], number);
        number = change(receive(pipes[0]), 0);
    }
    for (auto& thread : threads) thread.join();
    return number;
}

static std::uint64_t alone(long stations, long rounds) {
    std::uint64_t number = 0;
    for (long i = 0; i < rounds; ++i) {
        for (long station = 1; station < stations; ++station) number = change(number, station);
        number = change(number, 0);
    }
    return number;
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {2, 20000}, "threads in the ring, up to 400");
    const long stations = std::min(work.size, 400L);
    const std::uint64_t number = pass_round(stations, work.steps);
    return finish("switches", number == alone(stations, work.steps) ? 0 : 1, 0, number);
}
