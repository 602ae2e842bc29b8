// Reads the soft PMU's counts of itself, as any program can: what two loops differ by, in the
// thread that counts, while another one is busy, and what a forked child sees.
//   self_count EVENT
#include <atomic>
#include <cstdio>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <ringside/event_set.h>

#include "trust/loops.h"

namespace {

using ringside::EventSet;

std::int64_t counted(EventSet& set, std::uint64_t iterations) {
    std::int64_t value = -1;
    if (!set.start()) return -1;
    ringside::trust::counted_loop(iterations);
    if (!set.read(std::span(&value, 1))) return -1;
    return set.stop() ? value : -1;
}

int fail(const ringside::Error& error) {
    std::printf("%s\n", error.what.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto session = ringside::Session::open();
    EventSet set = session.event_set();
    if (auto added = set.add(argv[1]); !added) return fail(added.error());
    std::atomic<bool> end = false;
    std::thread other([&] {
        while (!end) ringside::trust::counted_loop(1000);
    });
    counted(set, 1000);
    const auto once = counted(set, 1'000'000);
    const auto more = counted(set, 3'000'000);
    end = true;
    other.join();
    std::printf("difference %lld\n", static_cast<long long>(more - once));

    ringside::SetOptions options;
    options.target = ringside::Target::process(0);
    EventSet all = session.event_set(options);
    if (auto added = all.add(argv[1]); !added) return fail(added.error());
    if (auto started = all.start(); !started) return fail(started.error());
    std::thread([] { ringside::trust::counted_loop(1'000'000); }).join();
    std::int64_t value = 0;
    if (auto done = all.read(std::span(&value, 1)); !done) return fail(done.error());
    std::printf("process %lld\n", static_cast<long long>(value));
    std::fflush(stdout);

    if (::fork() == 0) {
        const auto readings = all.read();
        const bool absent = readings && (*readings)[0].state == ringside::CounterState::absent;
        EventSet own = session.event_set();
        const bool counts = own.add(argv[1]).has_value() && counted(own, 1000) >= 2000;
        std::printf("child: the parent's %s, its own %s\n", absent ? "absent" : "there",
                    counts ? "counts" : "does not");
        std::fflush(stdout);
        ::_exit(0);
    }
    ::wait(nullptr);
    return 0;
}
