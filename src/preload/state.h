// What the interposer knows: of the process, and of the calling thread. Everything here works in
// signal handlers, before main() and after exit handlers: no allocation, no locks, no destructors.
#pragma once

#include <cstdint>

#include "abi/io_table.h"

namespace ringside::preload {

// Why a call cannot be counted in the thread's own slot and goes to slot 0; bits of Self::busy.
enum Busy : std::uint8_t {
    has_no_slot = 1,
    is_claiming = 2,  // it looks for one, and a signal handler calls meanwhile
    is_updating = 4,  // it writes to its slot, likewise
};

// Initial-exec, so that reaching it is one instruction and never allocates.
struct Self {
    io_slot* slot;  // null until the thread's first call
    int own_depth;  // not 0: the library itself is calling, see IO_OWN_DEPTH_SYMBOL
    std::uint8_t busy;
};
// clang-tidy 14 overlooks constinit.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
extern constinit __thread Self self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// In a page that the kernel empties in a forked child (MADV_WIPEONFORK), however it was forked.
struct Vital {
    std::uint32_t alive;  // the table is this process's own
    std::uint32_t renewing;
};

struct State {
    io_table* table;
    Vital* vital;
    // By file descriptor: 0 not known, else 1 + row in the table of files, and file_is_socket.
    std::uint16_t* fd_files;
    unsigned fds_known;  // none at or above this one
    bool ticks;          // the CPU's counter can be used
};
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
extern constinit State state __attribute__((visibility("hidden")));

constexpr unsigned max_fds = 1u << 20;  // the kernel's default limit, fs.nr_open
constexpr std::uint16_t file_is_socket = 0x8000;

// The calling thread's slot; finds or makes what is missing. Null while nothing can be counted.
io_slot* claim_slot();
inline io_slot* own_slot() {
    if (__builtin_expect(self.slot != nullptr && state.vital->alive != 0, 1)) return self.slot;
    return claim_slot();
}

inline bool excluded() {
    return self.own_depth != 0;
}

}  // namespace ringside::preload
