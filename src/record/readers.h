// The threads that empty the ring buffers, each its share of them. They sleep until a buffer is
// half full, and look at least a few times a second, so that a recorder that is killed has lost
// little.
#pragma once

#include <functional>
#include <span>
#include <thread>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "record/buffers.h"
#include "record/store.h"

namespace ringside::record {

// One for every four buffers, but two for two, so that a burst on one CPU does not hold up another.
std::size_t reader_count(std::size_t buffers);

class Readers {
  public:
    // `regularly` is called by one of the threads, about four times a second.
    static Result<std::unique_ptr<Readers>> start(Buffers& buffers, Store& store,
                                                  std::function<void()> regularly);
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;
    ~Readers() { stop(); }

    // Returns when all buffers are empty. Disable the events before.
    void stop();

  private:
    Readers(Buffers& buffers, Store& store, std::function<void()> regularly, base::Fd wake)
        : buffers_(buffers),
          store_(store),
          regularly_(std::move(regularly)),
          wake_(std::move(wake)) {}

    void run(std::size_t number, std::span<CpuBuffer> share);
    void pass(std::size_t number, std::span<CpuBuffer> share);

    Buffers& buffers_;
    Store& store_;
    std::function<void()> regularly_;
    base::Fd wake_;  // readable once they shall end
    std::vector<std::thread> threads_;
};

}  // namespace ringside::record
