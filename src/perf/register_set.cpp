#include "perf/register_set.h"

#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace ringside::perf {

RegisterSet::RegisterSet() {
    const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    page_ = base::Mmap(page, bytes);
    if (::madvise(page, bytes, MADV_WIPEONFORK) == 0) registers_ = new (page) Registers;
}

void RegisterSet::add(ControlPage& page, const std::uint64_t& base) {
    if (registers_ == nullptr) return;
    sources_.push_back({&page, &base, unused_bits(page)});
    *registers_ = {thread_mark(), sources_.size(), sources_.data(),
                   sources_.data() + sources_.size()};
}

}  // namespace ringside::perf
