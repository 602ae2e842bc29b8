// The library reads files and counters in the program that it measures. While an OwnCalls lives,
// the calls of this thread are left out of the program's I/O counts.
#pragma once

namespace ringside::base {

// The calling thread's counter, or null when nobody counts I/O in this process.
int* own_call_depth();

class OwnCalls {
  public:
    OwnCalls() : depth_(own_call_depth()) {
        if (depth_ != nullptr) ++*depth_;
    }
    ~OwnCalls() {
        if (depth_ != nullptr) --*depth_;
    }
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

  private:
    int* depth_;
};

}  // namespace ringside::base
