#include "base/fork.h"

#include <pthread.h>

namespace ringside::base {

constinit std::atomic<unsigned> forks{0};

namespace {

// Read and changed in this order by either side, so that at least one of them sees the other.
constinit std::atomic<int> inside{0};  // threads
constinit std::atomic<bool> forking{false};

// How often this thread came inside. A signal handler finds it as it is, in the midst of coming or
// leaving too: then it goes on without a wait, which nobody could end.
constinit thread_local int depth = 0;

void leave() {
    inside.fetch_sub(1);
    if (forking.load()) inside.notify_all();
}

void enter() {
    inside.fetch_add(1);
    while (forking.load()) {
        leave();
        forking.wait(true);
        inside.fetch_add(1);
    }
}

// A fork of our own, by a thread that is inside, waits for nobody: two of them would wait for each
// other. Such a child only tries something and ends.
void before_fork() {
    if (depth > 0) return;
    bool idle = false;
    while (!forking.compare_exchange_strong(idle, true)) {
        forking.wait(true);
        idle = false;
    }
    for (int left = inside.load(); left != 0; left = inside.load()) inside.wait(left);
}

void after_fork_in_parent() {
    if (depth > 0) return;
    forking.store(false);
    forking.notify_all();
}

void after_fork_in_child() {
    inside.store(depth > 0 ? 1 : 0);
    forking.store(false);
    forks.fetch_add(1, std::memory_order_relaxed);
}

[[maybe_unused]] const int registered =
    ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

}  // namespace

NoFork::NoFork() {
    if (depth++ == 0) enter();
}

NoFork::~NoFork() {
    if (depth == 1) leave();
    --depth;
}

void Mutex::lock() {
    if (depth++ == 0) enter();
    mutex_.lock();
}

void Mutex::unlock() {
    mutex_.unlock();
    if (depth == 1) leave();
    --depth;
}

}  // namespace ringside::base
