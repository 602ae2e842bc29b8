// Which file a descriptor is open on: what open() was told if that is a whole path, else what the
// kernel says at the first transfer; remembered until it is closed. So a descriptor that was
// inherited, duplicated or received is known as well.
#pragma once

#include "preload/state.h"

namespace ringside::preload {

// As in State::fd_files; 0 if the descriptor is not open.
std::uint16_t look_up_file(int fd);

inline std::uint16_t file_of(int fd) {
    if (static_cast<unsigned>(fd) >= max_fds) return 0;
    const std::uint16_t known = __atomic_load_n(&state.fd_files[fd], __ATOMIC_RELAXED);
    return __builtin_expect(known != 0, 1) ? known : look_up_file(fd);
}

inline unsigned row_of(std::uint16_t file) {
    const unsigned known = file & ~unsigned{file_is_socket};
    return known == 0 ? 0 : known - 1;
}

// `fd` was just opened by this path.
void name_file(int fd, const char* path);

// They name other files from now on.
void forget_files(unsigned first, unsigned last);
inline void forget_file(int fd) {
    if (state.fd_files != nullptr && static_cast<unsigned>(fd) < max_fds) {
        __atomic_store_n(&state.fd_files[fd], std::uint16_t{0}, __ATOMIC_RELAXED);
    }
}

}  // namespace ringside::preload
