// Which task a vCPU runs, and which file its code comes from: read out of the memory of a Linux
// guest when a sample is taken, by the offsets that its own BTF has. Pure; all it reads is input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "abi/soft_profile.h"
#include "softpmu/guest_memory.h"

namespace ringside::softpmu {

struct Task {
    std::uint32_t pid = SOFT_NO_PROCESS;
    std::uint32_t tid = SOFT_NO_PROCESS;
    std::uint64_t mm = 0;  // 0: a thread of the kernel
    char comm[SOFT_COMM_BYTES] = {};
};

class TaskFinder {
  public:
    TaskFinder() = default;
    TaskFinder(const soft_kernel& kernel, const GuestMemory& memory)
        : kernel_(kernel), memory_(memory) {}

    // Whether it is this kernel that lies in this memory.
    bool is_right() const;

    // Nothing if no such task can be: the one that runs on a CPU, where the kernel says so, or the
    // one at an address.
    std::optional<Task> current(std::uint32_t cpu) const;
    std::optional<Task> at(std::uint64_t address) const;
    // On arm64: the instruction that loads task_context of the task that runs from then on. 0 where
    // the kernel says which one runs, or this code is not where it should be.
    std::uint64_t switch_load() const;
    // The mapping of a file that holds `address`.
    std::optional<soft_map> mapping(std::uint64_t mm, std::uint64_t address) const;

  private:
    template <typename T>
    bool read(std::uint64_t address, T& into) const {
        return copy(address, &into, sizeof into);
    }
    bool copy(std::uint64_t address, void* into, std::size_t count) const;
    std::uint64_t find_area(std::uint64_t mm, std::uint64_t address) const;
    std::uint64_t child_of(std::uint64_t node, std::uint64_t address) const;
    std::optional<std::string> name_of(std::uint64_t dentry) const;
    std::optional<std::string> path_of(std::uint64_t dentry) const;

    soft_kernel kernel_{};
    GuestMemory memory_;
};

}  // namespace ringside::softpmu
