// A round trip between two threads: two context switches and two wakeups, to see what tracing does
// to them.
#pragma once

#include <array>
#include <cstdlib>
#include <thread>

#include <unistd.h>

namespace ringside::bench {

// Two threads that wake each other through pipes, there and back.
class PingPong {
  public:
    PingPong() {
        if (::pipe(there_.data()) != 0 || ::pipe(back_.data()) != 0) std::abort();
        other_ = std::thread([this] {
            while (receive(there_[0]) && send(back_[1])) {
            }
        });
    }
    PingPong(const PingPong&) = delete;
    PingPong& operator=(const PingPong&) = delete;
    ~PingPong() {
        ::close(there_[1]);
        other_.join();
        for (const int fd : {there_[0], back_[0], back_[1]}) ::close(fd);
    }
    void round_trip() const {
        if (send(there_[1])) receive(back_[0]);
    }

  private:
    static bool receive(int from) {
        char byte = 0;
        return ::read(from, &byte, 1) == 1;
    }
    static bool send(int to) {
        const char byte = 0;
        return ::write(to, &byte, 1) == 1;
    }
    std::array<int, 2> there_{-1, -1};
    std::array<int, 2> back_{-1, -1};
    std::thread other_;
};

}  // namespace ringside::bench
