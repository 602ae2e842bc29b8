// Loops of I/O calls, to be run with and without the interposer: bench/io does.
//   io_loops LOOP         prints the nanoseconds of a call, the median over batches
//   io_loops LOOP COUNT   makes COUNT calls and prints nothing
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "bench/measure.h"

namespace {

constexpr int blocks = 256;
std::array<char, 4096> buffer;

[[noreturn]] void fail(const char* what) {
    std::perror(what);
    std::exit(1);
}

// A file of a MiB in memory, read again and again.
int open_file() {
    std::string path = "/dev/shm/io_loopsXXXXXX";
    const int fd = ::mkstemp(path.data());
    if (fd < 0) fail("/dev/shm");
    ::unlink(path.c_str());
    // Lines of 64 bytes.
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = i % 64 == 63 ? '\n' : 'x';
    for (int i = 0; i < blocks; ++i) {
        if (::write(fd, buffer.data(), buffer.size()) != 4096) fail("write");
    }
    if (::lseek(fd, 0, SEEK_SET) != 0) fail("lseek");
    return fd;
}

void read_4k() {
    static const int fd = open_file();
    static int left = blocks;
    if (left-- == 0) {
        ::lseek(fd, 0, SEEK_SET);
        left = blocks - 1;
    }
    if (::read(fd, buffer.data(), buffer.size()) != 4096) fail("read");
}

void write_4k() {
    static const int fd = ::open("/dev/null", O_WRONLY);
    if (::write(fd, buffer.data(), buffer.size()) != 4096) fail("write");
}

FILE* input() {
    static FILE* stream = ::fdopen(open_file(), "r");
    return stream;
}

void fread_1() {
    char byte;
    if (std::fread(&byte, 1, 1, input()) != 1) std::rewind(input());
}

void fgets_64() {
    if (std::fgets(buffer.data(), 4096, input()) == nullptr) std::rewind(input());
}

void fputc_1() {
    static FILE* stream = std::fopen("/dev/null", "w");
    if (std::fputc('x', stream) == EOF) fail("fputc");
}

struct Loop {
    void (*call)();
    int calls_per_batch;
};
const std::map<std::string, Loop> loops{{"read_4k", {read_4k, 2560}},
                                        {"write_4k", {write_4k, 5000}},
                                        {"fread_1", {fread_1, 100000}},
                                        {"fgets_64", {fgets_64, 20000}},
                                        {"fputc_1", {fputc_1, 100000}}};

}  // namespace

int main(int argc, char** argv) {
    const auto loop = argc > 1 ? loops.find(argv[1]) : loops.end();
    if (loop == loops.end()) {
        std::fputs("usage: io_loops read_4k|write_4k|fread_1|fgets_64|fputc_1 [COUNT]\n", stderr);
        return 2;
    }
    const auto call = loop->second.call;
    if (argc == 2) {
        std::printf("%.2f\n", ringside::bench::median_ns(call, loop->second.calls_per_batch));
    } else {
        for (long left = std::atol(argv[2]); left > 0; --left) call();
    }
    return 0;
}
