// Memory for large tables that are read all over: in large pages where the kernel has them, because
// each jump into a small page costs a walk through the page tables, in a virtual machine two.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace ringside::base {

template <typename T>
struct LargePages {
    using value_type = T;

    LargePages() = default;
    template <typename U>
    LargePages(const LargePages<U>&) {}
    bool operator==(const LargePages&) const = default;

    T* allocate(std::size_t count) {
        constexpr std::size_t large = std::size_t{2} << 20;
        const std::size_t bytes = count * sizeof(T);
        const bool worth_it = bytes >= large;
        void* memory = worth_it ? std::aligned_alloc(large, (bytes + large - 1) / large * large)
                                : std::malloc(bytes);
        if (memory == nullptr) throw std::bad_alloc();
        // Advice: where it is not taken, the table is slower and that is all.
        if (worth_it) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace ringside::base
