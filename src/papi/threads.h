// The threads the library has seen: their ids, the program's data of each, and what runs in them.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/fork.h"
#include "papi/abi.h"

namespace ringside::papi {

using ThreadIdFunction = unsigned long (*)();

struct Thread {
    unsigned long id = 0;
    // Only the thread itself and gather() touch them.
    std::array<std::atomic<void*>, PAPI_NUM_TLS> storage{};
    // A bit for each component of which a set runs in this thread: PAPI allows one.
    std::atomic<unsigned> running{0};
};

class Threads {
  public:
    // The calling thread; becomes known with the first call. Forgotten when the thread ends.
    std::shared_ptr<Thread> current();
    bool forget_current();
    // Of every known thread: its id, and what it stored under `tag`.
    std::vector<std::pair<unsigned long, void*>> gather(int tag) const;

    // How threads are told apart; nullptr means that the program does not say.
    int set_id_function(ThreadIdFunction function);
    ThreadIdFunction id_function() const { return id_function_.load(std::memory_order_acquire); }

    void clear();

  private:
    unsigned long current_id() const;

    mutable base::Mutex mutex_;  // over known_
    std::vector<std::shared_ptr<Thread>> known_;
    std::atomic<ThreadIdFunction> id_function_{nullptr};
    std::atomic<unsigned> generation_{1};  // clear() makes every thread's own note of itself stale
};

}  // namespace ringside::papi
