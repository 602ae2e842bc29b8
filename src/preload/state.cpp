// The table's life: made at the process's first call, made anew in a forked child, and its slots
// given to threads.
#include "preload/state.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/adding.h"
#include "preload/real.h"
#include "preload/text.h"
#include "preload/ticks.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace ringside::preload {

namespace {

Vital before_the_first_call{};

}  // namespace

constinit __thread Self self{};
constinit State state{nullptr, &before_the_first_call, nullptr, 0, false};

namespace {

// Kept from the start, for children forked later: the program may rewrite its environment.
char folder[192];
std::uint32_t started;

template <typename T>
bool take(T& word, T from, T to) {
    return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void* anonymous(std::size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// A new file "PID.N": a process has one for each program it executes.
int create_file() {
    char path[sizeof folder + 32];
    for (unsigned n = 0; n < 10000; ++n) {
        char* at = append(path, folder);
        at = append(at, "/");
        at = append(at, static_cast<unsigned>(::getpid()));
        at = append(at, ".");
        *append(at, n) = '\0';
        const long fd =
            ::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) return static_cast<int>(fd);
    }
    return -1;
}

// Room for the first `bytes` of the file, or an error now: touching a page that does not fit into a
// full file system would be a SIGBUS.
bool allocate(int fd, long bytes) {
#if __SIZEOF_POINTER__ == 4
    return ::syscall(SYS_fallocate, fd, 0, 0, 0, bytes, 0) == 0;
#else
    return ::syscall(SYS_fallocate, fd, 0, 0L, bytes) == 0;
#endif
}

constexpr long bytes_before_slot(unsigned slot) {
    return static_cast<long>(__builtin_offsetof(io_table, slots)) +
           static_cast<long>(slot) * static_cast<long>(sizeof(io_slot));
}

io_table* shared_table() {
    const int fd = create_file();
    if (fd < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (::ftruncate(fd, sizeof(io_table)) == 0 && allocate(fd, bytes_before_slot(1))) {
        memory = ::mmap(nullptr, sizeof(io_table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    ::syscall(SYS_close, fd);
    return memory == MAP_FAILED ? nullptr : static_cast<io_table*>(memory);
}

void describe_process(io_table& table) {
    table.pid = static_cast<io_half>(::getpid());
    table.parent = static_cast<io_half>(::getppid());
    table.clock = state.ticks ? IO_CLOCK_TICKS : IO_CLOCK_NS;
    table.start_ns = monotonic_ns();
    table.start_ticks = now();
    std::strncpy(table.command, program_invocation_short_name, sizeof table.command - 1);
    __atomic_store_n(&table.magic, IO_MAGIC, __ATOMIC_RELEASE);
}

io_table* make_table() {
    io_table* table = folder[0] != '\0' ? shared_table() : nullptr;
    if (table == nullptr) table = static_cast<io_table*>(anonymous(sizeof(io_table)));
    if (table == nullptr) return nullptr;
    table->slots_used = 1;  // slot 0 is for those without one
    table->slots[0].state = IO_SLOT_TAKEN;
    table->files_used = 1;
    describe_process(*table);
    return table;
}

Vital* make_vital() {
    const long page = ::sysconf(_SC_PAGESIZE);
    void* memory = anonymous(static_cast<std::size_t>(page));
    if (memory != nullptr) ::madvise(memory, static_cast<std::size_t>(page), MADV_WIPEONFORK);
    return static_cast<Vital*>(memory);
}

void begin_process() {
    if (!take(started, 0u, 1u)) return;
    const char* wanted = ::secure_getenv(IO_DIR_VARIABLE);
    if (wanted != nullptr && std::strlen(wanted) < sizeof folder) *append(folder, wanted) = '\0';
    state.ticks = ticks_are_constant();
    state.fd_files = static_cast<std::uint16_t*>(anonymous(max_fds * sizeof(std::uint16_t)));
    io_table* table = make_table();
    Vital* vital = make_vital();
    if (table == nullptr || state.fd_files == nullptr || vital == nullptr) return;
    state.table = table;
    vital->alive = 1;
    __atomic_store_n(&state.vital, vital, __ATOMIC_RELEASE);
}

// In a forked child. What is mapped shared is the parent's and gives way to a table of our own, in
// which the open files keep their rows; private memory is a copy already.
void begin_child(Vital& vital) {
    if (!take(vital.renewing, 0u, 1u)) return;
    io_table* old = state.table;
    if (folder[0] != '\0') {
        io_table* table = make_table();
        if (table == nullptr) return;
        std::memcpy(table->files, old->files, sizeof table->files);
        table->files_used = old->files_used;
        state.table = table;
        self.slot = nullptr;
        self.busy &= static_cast<std::uint8_t>(~has_no_slot);
        ::munmap(old, sizeof(io_table));
    } else {
        old->pid = static_cast<io_half>(::getpid());
        if (self.slot != nullptr && (self.busy & has_no_slot) == 0) {
            self.slot->tid = static_cast<io_half>(::syscall(SYS_gettid));
        }
    }
    __atomic_store_n(&vital.alive, 1u, __ATOMIC_RELEASE);
}

bool has_room(io_slot& slot) {
    if (folder[0] == '\0') return true;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto before = reinterpret_cast<std::uintptr_t>(&slot) % page;
    char* begin = reinterpret_cast<char*>(&slot) - before;
    return ::madvise(begin, before + sizeof slot, MADV_POPULATE_WRITE) == 0;
}

bool is_alive(io_half tid) {
    return ::syscall(SYS_tgkill, ::getpid(), tid, 0) == 0 || errno != ESRCH;
}

// The counts of a thread that ended move to slot 0.
void fold(io_table& table, io_slot& slot) {
    auto* to = reinterpret_cast<io_word*>(&table.slots[0].counts);
    auto* from = reinterpret_cast<io_word*>(&slot.counts);
    constexpr std::size_t words =
        (sizeof(io_slot) - __builtin_offsetof(io_slot, counts)) / sizeof(io_word);
    __atomic_add_fetch(&table.folding, 1, __ATOMIC_SEQ_CST);
    for (std::size_t i = 0; i < words; ++i) {
        if (from[i] != 0) Atomic::add(to[i], from[i]);
        from[i] = 0;
    }
    slot.generation++;
    __atomic_add_fetch(&table.folding, 1, __ATOMIC_SEQ_CST);
}

// Only one thread at a time looks for an ended one; others use slot 0 until their next call.
io_slot* reuse_slot(io_table& table) {
    static std::uint32_t looking;
    static unsigned next = 1;
    if (!take(looking, 0u, 1u)) return nullptr;
    io_slot* found = nullptr;
    for (unsigned tried = 1; tried < IO_SLOTS && found == nullptr; ++tried) {
        next = next + 1 < IO_SLOTS ? next + 1 : 1;
        io_slot& slot = table.slots[next];
        if (slot.state == IO_SLOT_TAKEN && !is_alive(slot.tid)) found = &slot;
    }
    if (found != nullptr) {
        fold(table, *found);
        found->tid = static_cast<io_half>(::syscall(SYS_gettid));
    }
    __atomic_store_n(&looking, 0u, __ATOMIC_RELEASE);
    return found;
}

io_slot* find_slot(io_table& table) {
    if (__atomic_load_n(&table.slots_used, __ATOMIC_RELAXED) >= IO_SLOTS) return reuse_slot(table);
    const io_half index = __atomic_fetch_add(&table.slots_used, 1, __ATOMIC_RELAXED);
    if (index >= IO_SLOTS) return reuse_slot(table);
    io_slot& slot = table.slots[index];
    if (!has_room(slot)) return nullptr;
    slot.tid = static_cast<io_half>(::syscall(SYS_gettid));
    __atomic_store_n(&slot.state, IO_SLOT_TAKEN, __ATOMIC_RELEASE);
    return &slot;
}

void claim() {
    Vital* vital = __atomic_load_n(&state.vital, __ATOMIC_ACQUIRE);
    if (vital == &before_the_first_call) {
        begin_process();
    } else if (vital->alive == 0) {
        begin_child(*vital);
    }
    if (state.vital->alive == 0 || self.slot != nullptr) return;
    self.slot = find_slot(*state.table);
    if (self.slot != nullptr) return;
    self.slot = &state.table->slots[0];
    self.busy |= has_no_slot;
}

// Later than libc's, and in a program that links us earlier than its own.
__attribute__((constructor(101))) void on_load() {
    const int saved_errno = errno;
    resolve_all();
    begin_process();
    errno = saved_errno;
}

}  // namespace

io_slot* claim_slot() {
    if ((self.busy & is_claiming) != 0) {
        return state.vital->alive != 0 ? &state.table->slots[0] : nullptr;
    }
    const int saved_errno = errno;
    self.busy |= is_claiming;
    claim();
    self.busy &= static_cast<std::uint8_t>(~is_claiming);
    errno = saved_errno;
    return state.vital->alive != 0 ? self.slot : nullptr;
}

}  // namespace ringside::preload

#define RINGSIDE_EXPORT extern "C" __attribute__((visibility("default"), used))

RINGSIDE_EXPORT const io_table* ringside_io_table() {
    using namespace ringside::preload;
    own_slot();
    return state.vital->alive != 0 ? state.table : nullptr;
}

RINGSIDE_EXPORT const io_slot* ringside_io_slot() {
    return ringside::preload::own_slot();
}

RINGSIDE_EXPORT int* ringside_io_own_depth() {
    return &ringside::preload::self.own_depth;
}
