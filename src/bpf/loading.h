// What every BPF tracer does to get its program into the kernel.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <bpf/libbpf.h>

#include <ringside/result.h>

#include "base/mmap.h"
#include "base/sys_root.h"

namespace ringside::bpf {

// libbpf writes to stderr unless told otherwise, and a library does not print.
class Quiet {
  public:
    Quiet() : before_(libbpf_set_print(nullptr)) {}
    ~Quiet() { libbpf_set_print(before_); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

  private:
    libbpf_print_fn_t before_;
};

// Thread ids mean the same to the kernel and to us only in its first pid namespace.
Result<void> require_first_pid_namespace(const base::SysRoot& root);

// The kernel checks the program here; the error says what it takes to be permitted.
Result<void> load_object(bpf_object* object);

Result<bpf_link*> attach_program(const bpf_object* object, const char* name);

// An array map that was made with BPF_F_MMAPABLE, whose entries are a multiple of 8 bytes.
Result<base::Mmap> map_table(const bpf_object* object, const char* name, std::size_t entry_bytes,
                             std::size_t entries);

// The kernel changes these words while we look.
template <typename T>
T peek(const T& word) {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

}  // namespace ringside::bpf
