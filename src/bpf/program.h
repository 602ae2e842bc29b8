// A BPF object from its compiled bytes to attached programs and mapped tables; what the tracers of
// this room have in common. Needs root (CAP_BPF and CAP_PERFMON) and a kernel with BTF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include <ringside/result.h>

#include "base/mmap.h"
#include "base/sys_root.h"

struct bpf_object;
struct bpf_link;
struct bpf_map;

namespace ringside::bpf {

// To whom a member of a group of threads passes its membership on: follow_layout.h.
enum class Follow { none, threads, children };

// Thread ids mean the same to BPF and to us only in the kernel's first pid namespace.
Result<void> check_thread_ids(const base::SysRoot& root);

// One entry for each possible CPU.
std::size_t possible_cpus();

class Program {
  public:
    Program() = default;
    Program(Program&& other) noexcept;
    Program& operator=(Program&& other) noexcept;
    ~Program();

    // Reads the object; its tables can still be changed.
    static Result<Program> open(std::span<const std::byte> code);
    // Before load().
    Result<void> resize(const char* table, std::size_t entries);
    Result<void> leave_out(const char* program);
    Result<void> set_constants(std::span<const std::byte> bytes);

    // Hands it to the kernel.
    Result<void> load();
    // In this order.
    Result<void> attach(std::initializer_list<const char*> programs);

    // Owned by this object; -1 if there is none of that name.
    int program_fd(const char* name) const;
    int table_fd(const char* name) const;
    // The whole table as memory that the kernel shares with us.
    Result<base::Mmap> map(const char* table, std::size_t entry_bytes, std::size_t entries) const;

  private:
    Result<bpf_map*> find(const char* table) const;

    bpf_object* object_ = nullptr;
    std::vector<bpf_link*> links_;
};

// Runs a program of the kind raw_tp once, with up to 12 arguments; on the caller's CPU, or on a
// CPU of choice, whose current thread it then finds there. Gives what the program returns; nullopt
// where that CPU is offline, or the kernel is older than 5.12.
constexpr int on_own_cpu = -1;
std::optional<std::uint32_t> run_once(int program_fd, int cpu,
                                      std::span<const std::uint64_t> arguments = {});

// The kernel changes these words while we look.
template <typename T>
T peek(const T& word) {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

}  // namespace ringside::bpf
