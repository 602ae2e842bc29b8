// A program that does I/O in awkward ways, a known number of times: tests/cli/io.case says what
// must be counted. It fails if anything goes differently than it would without the interposer.
//   io_torture SCENARIO FILE      FILE is made, and holds 10000 bytes
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

#define EXPECT(condition) ((condition) ? void(0) : failed(#condition, __LINE__))

[[noreturn]] void failed(const char* condition, int line) {
    const int saved_errno = errno;
    std::fprintf(stderr, "line %d: %s (%s)\n", line, condition, std::strerror(saved_errno));
    std::_Exit(1);
}

const char* self_path;
const char* file_path;
int file_fd = -1;

void read_some(int times, std::size_t bytes) {
    char buffer[4096];
    for (int i = 0; i < times; ++i) {
        EXPECT(::pread(file_fd, buffer, bytes, 0) == static_cast<ssize_t>(bytes));
    }
}

void wait_for(pid_t child) {
    int status = -1;
    EXPECT(::waitpid(child, &status, 0) == child);
    EXPECT(status == 0);
}

void threads() {
    std::vector<std::thread> all;
    for (int i = 0; i < 8; ++i) all.emplace_back([] { read_some(100, 512); });
    for (auto& thread : all) thread.join();
}

std::atomic<bool> go;

// More than there are slots: 700 one after the other, then 600 at once, which read twice. Small
// stacks, for the sake of 32-bit programs.
void many_threads() {
    for (int i = 0; i < 700; ++i) std::thread([] { read_some(1, 10); }).join();
    pthread_attr_t small;
    EXPECT(::pthread_attr_init(&small) == 0);
    EXPECT(::pthread_attr_setstacksize(&small, 65536) == 0);
    const auto read_twice = [](void*) -> void* {
        read_some(1, 10);
        while (!go) ::usleep(1000);
        read_some(1, 10);
        return nullptr;
    };
    std::vector<pthread_t> all(600);
    for (auto& thread : all) {
        EXPECT(::pthread_create(&thread, &small, read_twice, nullptr) == 0);
    }
    go = true;
    for (const auto thread : all) EXPECT(::pthread_join(thread, nullptr) == 0);
}

// 3 in the parent, 5 in a child, 7 in one by vfork and exec, 7 in one by posix_spawn, 2 at the end.
void forks() {
    read_some(3, 100);
    const pid_t child = ::fork();
    if (child == 0) {
        read_some(5, 100);
        ::_exit(0);
    }
    wait_for(child);
    char* arguments[] = {const_cast<char*>(self_path), const_cast<char*>("seven"),
                         const_cast<char*>(file_path), nullptr};
    const pid_t by_vfork = ::vfork();
    if (by_vfork == 0) {
        ::execv(self_path, arguments);
        ::_exit(1);
    }
    wait_for(by_vfork);
    pid_t by_spawn = -1;
    EXPECT(::posix_spawn(&by_spawn, self_path, nullptr, nullptr, arguments, environ) == 0);
    wait_for(by_spawn);
    read_some(2, 100);
}

void seven() {
    read_some(7, 100);
}

// 4 before and 7 after an exec in the same process.
void execs() {
    read_some(4, 100);
    ::execl(self_path, self_path, "seven", file_path, nullptr);
    EXPECT(false);
}

volatile sig_atomic_t handled;

// A handler that reads, inside of reads: 20000 and 200.
void signals() {
    struct sigaction action {};
    action.sa_handler = [](int) {
        const int saved_errno = errno;
        if (handled < 200) {
            read_some(1, 10);
            handled = handled + 1;
        }
        errno = saved_errno;
    };
    action.sa_flags = SA_RESTART;
    EXPECT(::sigaction(SIGALRM, &action, nullptr) == 0);
    itimerval every{{0, 50}, {0, 50}};
    EXPECT(::setitimer(ITIMER_REAL, &every, nullptr) == 0);
    read_some(20000, 100);
    every = {};
    EXPECT(::setitimer(ITIMER_REAL, &every, nullptr) == 0);
    while (handled < 200) ::raise(SIGALRM);
}

sigjmp_buf out_of_handler;

// A handler that never returns, again and again: 300 reads of 10 bytes.
void jumps() {
    struct sigaction action {};
    action.sa_handler = [](int) { ::siglongjmp(out_of_handler, 1); };
    EXPECT(::sigaction(SIGUSR1, &action, nullptr) == 0);
    int pipe_ends[2];
    EXPECT(::pipe(pipe_ends) == 0);
    volatile int times = 0;
    while (times < 300) {
        times = times + 1;
        if (sigsetjmp(out_of_handler, 1) == 0) {
            read_some(1, 10);
            ::raise(SIGUSR1);
        }
    }
}

void high_fds() {
    rlimit limit{};
    EXPECT(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_cur < 5000) {
        limit.rlim_cur = 5000;
        EXPECT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    EXPECT(::dup2(file_fd, 4321) == 4321);
    file_fd = 4321;
    read_some(6, 100);
    EXPECT(::close(4321) == 0);
}

// Errors are counted as such, and errno is the call's.
void errors() {
    char byte;
    errno = 0;
    EXPECT(::read(-1, &byte, 1) == -1 && errno == EBADF);
    errno = 0;
    EXPECT(::open("/no/such/file", O_RDONLY) == -1 && errno == ENOENT);
    errno = 0;
    EXPECT(std::fopen("/no/such/file", "r") == nullptr && errno == ENOENT);
    int ends[2];
    EXPECT(::pipe2(ends, O_NONBLOCK) == 0);
    errno = 0;
    EXPECT(::read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
    errno = 12345;
    EXPECT(::read(file_fd, &byte, 1) == 1 && errno == 12345);
    errno = 12345;
    FILE* full = std::fopen("/dev/full", "w");
    EXPECT(full != nullptr && errno == 12345);
    EXPECT(std::fputs("x", full) >= 0);
    EXPECT(std::fclose(full) == EOF && errno == ENOSPC);
}

// 1000 lines of 10 bytes out, in again by lines, characters and items; 30000 bytes in.
void streams() {
    FILE* out = std::fopen(file_path, "w");
    EXPECT(out != nullptr);
    for (int i = 0; i < 250; ++i) {
        EXPECT(std::fputs("012345678\n", out) >= 0);
        EXPECT(std::fwrite("012345678\n", 5, 2, out) == 2);
        EXPECT(std::fprintf(out, "%09d\n", i) == 10);
        for (int c = 0; c < 10; ++c) EXPECT(std::fputc("012345678\n"[c], out) != EOF);
    }
    EXPECT(std::fflush(out) == 0);
    EXPECT(std::fclose(out) == 0);
    FILE* in = std::fopen(file_path, "r");
    EXPECT(in != nullptr);
    char line[64];
    int lines = 0;
    while (std::fgets(line, sizeof line, in) != nullptr) ++lines;
    EXPECT(lines == 1000 && std::feof(in) != 0);
    std::rewind(in);
    int characters = 0;
    while (std::fgetc(in) != EOF) ++characters;
    EXPECT(characters == 10000);
    EXPECT(std::fseek(in, 0, SEEK_SET) == 0);
    char item[7];
    std::size_t got = 0;
    for (std::size_t now; (now = std::fread(item, 1, sizeof item, in)) != 0;) got += now;
    EXPECT(got == 10000);
    EXPECT(std::fclose(in) == 0);
}

// getline and scanf in, printf to a descriptor out; what is only memory does not count.
void more_streams() {
    FILE* in = std::fopen(file_path, "r");
    EXPECT(in != nullptr);
    char* line = nullptr;
    std::size_t room = 0;
    EXPECT(::getline(&line, &room, in) == 10000);
    std::free(line);
    EXPECT(std::fclose(in) == 0);
    char memory[] = "17 4";
    int number = 0;
    in = ::fmemopen(memory, sizeof memory, "r");
    EXPECT(in != nullptr && std::fscanf(in, "%d", &number) == 1 && number == 17);
    EXPECT(std::fclose(in) == 0);
    const int null = ::open("/dev/null", O_WRONLY);
    EXPECT(::dprintf(null, "%d", 123456) == 6);
    EXPECT(::close(null) == 0);
}

// A thread that is cancelled in a read; 3 reads of 100 bytes are left.
void cancel() {
    static int ends[2];
    EXPECT(::pipe(ends) == 0);
    pthread_t thread;
    const auto blocked = [](void*) -> void* {
        read_some(1, 100);
        char byte;
        [[maybe_unused]] const auto got = ::read(ends[0], &byte, 1);
        return nullptr;
    };
    EXPECT(::pthread_create(&thread, nullptr, blocked, nullptr) == 0);
    ::usleep(20000);
    EXPECT(::pthread_cancel(thread) == 0);
    void* result = nullptr;
    EXPECT(::pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    read_some(2, 100);
}

void close_all() {
    for (int fd = 0; fd < 1024; ++fd) ::close(fd);
    file_fd = ::open(file_path, O_RDONLY);
    EXPECT(file_fd == 0);
    read_some(9, 100);
}

// Every call that takes a vector, a place, or two files.
void vectors() {
    char left[100];
    char right[200];
    iovec parts[] = {{left, sizeof left}, {right, sizeof right}};
    EXPECT(::readv(file_fd, parts, 2) == 300);
    EXPECT(::preadv(file_fd, parts, 2, 0) == 300);
    EXPECT(::preadv2(file_fd, parts, 2, 0, 0) == 300);
    EXPECT(::pread64(file_fd, left, 100, 0) == 100);
    char copy_path[4096];
    std::snprintf(copy_path, sizeof copy_path, "%s.copy", file_path);
    const int copy = ::open(copy_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    EXPECT(copy >= 0);
    EXPECT(::writev(copy, parts, 2) == 300);
    EXPECT(::pwritev(copy, parts, 2, 0) == 300);
    EXPECT(::pwritev2(copy, parts, 2, 0, 0) == 300);
    EXPECT(::pwrite(copy, left, 100, 0) == 100);
    off_t from = 0;
    EXPECT(::sendfile(copy, file_fd, &from, 1000) == 1000);
    off64_t in_at = 0;
    EXPECT(::copy_file_range(file_fd, &in_at, copy, nullptr, 1000, 0) == 1000);
    int ends[2];
    EXPECT(::pipe(ends) == 0);
    in_at = 0;
    EXPECT(::splice(file_fd, &in_at, ends[1], nullptr, 500, 0) == 500);
    EXPECT(::lseek(copy, -10, SEEK_END) >= 0);
    EXPECT(::unlink(copy_path) == 0);
}

void sockets() {
    int pair[2];
    EXPECT(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    char data[1000] = {};
    EXPECT(::write(pair[0], data, 1000) == 1000);
    EXPECT(::read(pair[1], data, 600) == 600);
    EXPECT(::recv(pair[1], data, 1000, 0) == 400);
    EXPECT(::send(pair[1], data, 50, 0) == 50);
    EXPECT(::recvfrom(pair[0], data, 50, 0, nullptr, nullptr) == 50);
    iovec part{data, 70};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    EXPECT(::sendmsg(pair[0], &message, 0) == 70);
    EXPECT(::recvmsg(pair[1], &message, 0) == 70);
    mmsghdr batch{message, 0};
    EXPECT(::sendmmsg(pair[0], &batch, 1, 0) == 1 && batch.msg_len == 70);
    EXPECT(::recvmmsg(pair[1], &batch, 1, 0, nullptr) == 1 && batch.msg_len == 70);
    EXPECT(::close(pair[0]) == 0);
    EXPECT(::recv(pair[1], data, 10, 0) == 0);
}

void waits() {
    timeval no_time{0, 0};
    EXPECT(::select(0, nullptr, nullptr, nullptr, &no_time) == 0);
    timespec short_time{0, 1000000};
    EXPECT(::pselect(0, nullptr, nullptr, nullptr, &short_time, nullptr) == 0);
    EXPECT(::poll(nullptr, 0, 20) == 0);
    EXPECT(::ppoll(nullptr, 0, &short_time, nullptr) == 0);
    const int epoll = ::epoll_create1(0);
    epoll_event event{};
    EXPECT(::epoll_wait(epoll, &event, 1, 0) == 0);
    EXPECT(::epoll_pwait(epoll, &event, 1, 0, nullptr) == 0);
}

// The child has our memory and descriptors of its own: what it opens under the number of our file
// is not what we write to afterwards.
void vforks() {
    const int standard = ::dup2(file_fd, STDOUT_FILENO);
    EXPECT(standard == STDOUT_FILENO);
    const pid_t child = ::vfork();
    if (child == 0) {
        const int nothing = ::open("/dev/null", O_WRONLY);
        const bool done = ::dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO &&
                          ::write(STDOUT_FILENO, "x", 1) == 1 && ::write(nothing, "x", 1) == 1;
        ::_exit(done ? 0 : 1);
    }
    EXPECT(child > 0);
    wait_for(child);
    const std::vector<char> megabyte(1'000'000, 'm');
    EXPECT(::write(STDOUT_FILENO, megabyte.data(), megabyte.size()) == 1'000'000);
}

struct Scenario {
    const char* name;
    void (*run)();
};
constexpr Scenario scenarios[] = {
    {"threads", threads},   {"many_threads", many_threads},
    {"forks", forks},       {"vforks", vforks},
    {"seven", seven},       {"execs", execs},
    {"signals", signals},   {"jumps", jumps},
    {"high_fds", high_fds}, {"errors", errors},
    {"streams", streams},   {"more_streams", more_streams},
    {"cancel", cancel},     {"close_all", close_all},
    {"vectors", vectors},   {"sockets", sockets},
    {"waits", waits},
};

// Before main() and after it: one read of a byte each.
bool before_main;
__attribute__((constructor)) void early() {
    char byte;
    const int fd = ::open("/dev/zero", O_RDONLY);
    before_main = fd >= 0 && ::read(fd, &byte, 1) == 1 && ::close(fd) == 0;
}
__attribute__((destructor)) void late() {
    char byte;
    const int fd = ::open("/dev/zero", O_RDONLY);
    if (fd < 0 || ::read(fd, &byte, 1) != 1 || ::close(fd) != 0) std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 || !before_main) return 2;
    self_path = argv[0];
    file_path = argv[2];
    file_fd = ::open(file_path, O_RDWR | O_CREAT, 0600);
    EXPECT(file_fd >= 0);
    EXPECT(::ftruncate(file_fd, 10000) == 0);
    for (const auto& scenario : scenarios) {
        if (std::strcmp(scenario.name, argv[1]) != 0) continue;
        scenario.run();
        return 0;
    }
    return 2;
}
