// A program of somebody else's, built against the installed library.
#include <cstdio>

#include <ringside/clocks.h>
#include <ringside/trust.h>

int main() {
    const auto clocks = ringside::Clocks::open();
    const auto clock = clocks.thread();
    if (!clock) {
        std::printf("error %s\n", clock.error().what.c_str());
        return 1;
    }
    const auto times = clock->read();
    std::printf("real_ns %llu\n", static_cast<unsigned long long>(times.real_ns));
    std::printf("steal method %s\n", ringside::to_string(times.steal.method).data());
    std::printf("state %s\n", ringside::to_string(ringside::CounterState::ok).data());
    return 0;
}
