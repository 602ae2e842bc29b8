// Tells a process from the children it forks, without a system call: what belongs to one thread of
// one process (mapped counters, for instance) is not there in a child, though all variables are.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "base/mmap.h"

namespace ringside::base {

class ForkMark {
  public:
    ForkMark() {
        const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        void* page =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return;
        page_ = Mmap(page, bytes);
        if (::madvise(page, bytes, MADV_WIPEONFORK) == 0) *page_.data() = std::byte{1};
    }

    // False in a child, and where the kernel cannot tell.
    bool same_process() const { return page_ && *page_.data() != std::byte{0}; }

  private:
    Mmap page_;
};

}  // namespace ringside::base
