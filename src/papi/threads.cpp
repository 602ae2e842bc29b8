#include "papi/threads.h"

#include <algorithm>

#include <unistd.h>

namespace ringside::papi {

namespace {

// What a thread remembers of itself, so that it need not be looked up. Its end makes the library
// forget the thread, as PAPI_unregister_thread() would.
struct Self {
    std::shared_ptr<Thread> thread;
    unsigned generation = 0;
    Threads* owner = nullptr;

    ~Self() {
        if (thread && owner != nullptr) owner->forget_current();
    }
};

thread_local Self self;

}  // namespace

unsigned long Threads::current_id() const {
    const auto function = id_function();
    return function != nullptr ? function() : static_cast<unsigned long>(::getpid());
}

std::shared_ptr<Thread> Threads::current() {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    if (self.thread && self.generation == generation) return self.thread;
    auto thread = std::make_shared<Thread>();
    thread->id = current_id();
    const std::lock_guard lock(mutex_);
    known_.push_back(thread);
    self.thread = thread;
    self.generation = generation;
    self.owner = this;
    return thread;
}

bool Threads::forget_current() {
    const auto thread = std::move(self.thread);
    self.thread.reset();
    if (!thread) return false;
    const std::lock_guard lock(mutex_);
    const auto found = std::find(known_.begin(), known_.end(), thread);
    if (found == known_.end()) return false;
    known_.erase(found);
    return true;
}

std::vector<std::pair<unsigned long, void*>> Threads::gather(int tag) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<unsigned long, void*>> all;
    for (const auto& thread : known_) {
        all.emplace_back(thread->id, thread->storage[static_cast<std::size_t>(tag)].load());
    }
    return all;
}

// Threads that were seen under another numbering would have no id in the new one.
int Threads::set_id_function(ThreadIdFunction function) {
    {
        const std::lock_guard lock(mutex_);
        if (known_.size() > 1) return PAPI_EINVAL;
    }
    if (function != nullptr && id_function() != nullptr) return PAPI_EINVAL;
    id_function_.store(function, std::memory_order_release);
    current()->id = current_id();
    return PAPI_OK;
}

void Threads::clear() {
    const std::lock_guard lock(mutex_);
    known_.clear();
    id_function_.store(nullptr, std::memory_order_release);
    generation_.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace ringside::papi
