#include "preload/files.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "preload/text.h"

namespace ringside::preload {

namespace {

// A handler's stack may be small.
constexpr int longest_path = 1024;

bool starts_with(const char* text, const char* beginning) {
    return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

io_half hash_of(const char* text) {
    io_half hash = 2166136261u;  // FNV-1a
    for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 16777619u;
    return hash;
}

// Every socket and pipe has a number; together they would fill the table and say little.
const char* short_name(const char* path) {
    if (starts_with(path, "socket:[")) return "(sockets)";
    if (starts_with(path, "pipe:[")) return "(pipes)";
    const std::size_t length = std::strlen(path);
    return length < IO_PATH_BYTES ? path : path + (length - IO_PATH_BYTES + 1);
}

unsigned find_row(const io_table& table, const char* path, io_half hash) {
    const unsigned used = table.files_used < IO_FILES ? table.files_used : IO_FILES;
    for (unsigned row = 1; row < used; ++row) {
        const io_file& file = table.files[row];
        if (file.hash != hash || __atomic_load_n(&file.used, __ATOMIC_ACQUIRE) == 0) continue;
        if (std::strcmp(file.path, path) == 0) return row;
    }
    return 0;
}

// Two threads may add the same path at once; the reader adds rows of one name together.
unsigned add_row(io_table& table, const char* path, io_half hash) {
    if (__atomic_load_n(&table.files_used, __ATOMIC_RELAXED) >= IO_FILES) return 0;
    const unsigned row = __atomic_fetch_add(&table.files_used, 1, __ATOMIC_RELAXED);
    if (row >= IO_FILES) return 0;
    io_file& file = table.files[row];
    file.hash = hash;
    *append(file.path, path) = '\0';
    __atomic_store_n(&file.used, 1u, __ATOMIC_RELEASE);
    return row;
}

// The kernel's answer takes microseconds, which programs that open many files would feel.
bool names_one_file(const char* path) {
    return path[0] == '/' && !starts_with(path, "/proc/") && !starts_with(path, "/dev/fd/") &&
           !starts_with(path, "/dev/std");
}

// Between vfork and exec the child has descriptors of its own, but our memory: what it opens must
// not be taken for ours when we go on.
bool is_table_of_this_process() {
    return state.table->pid == static_cast<io_half>(::getpid());
}

void know_file(int fd, std::uint16_t file) {
    if (!is_table_of_this_process()) return;
    __atomic_store_n(&state.fd_files[fd], file, __ATOMIC_RELAXED);
    const unsigned above = static_cast<unsigned>(fd) + 1;
    if (above > state.fds_known) state.fds_known = above;
}

std::uint16_t file_of_link(const char* link) {
    const char* name = short_name(link);
    const io_half hash = hash_of(name);
    unsigned row = find_row(*state.table, name, hash);
    if (row == 0) row = add_row(*state.table, name, hash);
    const bool is_socket = starts_with(link, "socket:[");
    return static_cast<std::uint16_t>((row + 1) | (is_socket ? file_is_socket : 0));
}

}  // namespace

void name_file(int fd, const char* path) {
    forget_file(fd);
    if (static_cast<unsigned>(fd) >= max_fds || state.vital->alive == 0) return;
    if (path != nullptr && names_one_file(path)) know_file(fd, file_of_link(path));
}

std::uint16_t look_up_file(int fd) {
    const int saved_errno = errno;
    char where[32];
    char link[longest_path];
    *append(append(where, "/proc/self/fd/"), static_cast<unsigned>(fd)) = '\0';
    const ssize_t length = ::readlink(where, link, sizeof link - 1);
    std::uint16_t file = 0;
    if (length >= 0) {
        link[length] = '\0';
        file = file_of_link(link);
    } else if (errno != ENOENT || ::access("/proc/self/fd", X_OK) != 0) {
        file = 1;  // no /proc here: not asked again
    }
    if (file != 0) know_file(fd, file);
    errno = saved_errno;
    return file;
}

void forget_files(unsigned first, unsigned last) {
    for (unsigned fd = first; fd <= last && fd < state.fds_known; ++fd) {
        forget_file(static_cast<int>(fd));
    }
}

}  // namespace ringside::preload
