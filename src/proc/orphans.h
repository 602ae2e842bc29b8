// While it lives, a program whose parent ends becomes our child instead of init's, so that nothing
// is left of a tree of processes after its root was killed: the kernel then tells only the root's
// own children, only if they asked, and does not wait for them.
#pragma once

#include <vector>

#include <sys/types.h>

namespace ringside::proc {

class Orphans {
  public:
    Orphans();
    Orphans(const Orphans&) = delete;
    Orphans& operator=(const Orphans&) = delete;
    ~Orphans();

    // Kills those that came, then the children these leave, until there is none. Children that we
    // had before belong to whoever started them.
    void end() const;

  private:
    std::vector<pid_t> arrived() const;

    int was_reaper_ = 0;
    std::vector<pid_t> before_;
};

}  // namespace ringside::proc
