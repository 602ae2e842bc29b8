// Runs a command with less than it would have: another user, no capabilities, or a seccomp filter
// that answers perf_event_open with an error, as container runtimes (ENOSYS, EPERM) and kernels
// with perf_event_paranoid 3 (EACCES) do, or openat2 as kernels before 5.6 do (ENOSYS).
//   restricted [--uid N] [--perf-errno N] [--openat2-errno N] -- COMMAND [ARG...]
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool deny(unsigned call, unsigned error) {
    std::array<sock_filter, 4> program{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{program.size(), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool become(unsigned uid) {
    return ::setgid(uid) == 0 && ::setuid(uid) == 0;
}

// The word after "--", opened while we still may: the new user may not reach its folder.
int open_program(int argc, char** argv) {
    int at = 1;
    while (at < argc && std::strcmp(argv[at], "--") != 0) ++at;
    const bool is_path = at + 1 < argc && std::strchr(argv[at + 1], '/') != nullptr;
    return is_path ? ::open(argv[at + 1], O_PATH | O_CLOEXEC) : -1;
}

}  // namespace

int main(int argc, char** argv) {
    const int program = open_program(argc, argv);
    int at = 1;
    for (; at + 1 < argc && std::strcmp(argv[at], "--") != 0; at += 2) {
        const auto number = static_cast<unsigned>(std::strtoul(argv[at + 1], nullptr, 10));
        const std::string_view option = argv[at];
        const bool done = option == "--uid"             ? become(number)
                          : option == "--perf-errno"    ? deny(SYS_perf_event_open, number)
                          : option == "--openat2-errno" ? deny(SYS_openat2, number)
                                                        : false;
        if (!done) {
            std::perror(argv[at]);
            return 125;
        }
    }
    if (at + 1 >= argc) return 125;
    if (program >= 0) ::execveat(program, "", argv + at + 1, environ, AT_EMPTY_PATH);
    ::execvp(argv[at + 1], argv + at + 1);
    std::perror(argv[at + 1]);
    return 127;
}
