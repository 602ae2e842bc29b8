// Writes a file in blocks, and reads them back in another order: each block once a step. What was
// read must be what was written. The file lies in $TMPDIR and has no name, so nothing is left.
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "workload.h"

using namespace ringside::workloads;

constexpr long words_in_block = 512;  // 4 KiB
constexpr long block_bytes = words_in_block * 8;
using Words = std::vector<std::uint64_t>;

[[noreturn]] static void give_up(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

static int open_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/ringside-files-XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd < 0) give_up(name.c_str());
    ::unlink(name.c_str());
    return fd;
}

static void fill(Words& words, long step, long block) {
    Random random(static_cast<std::uint64_t>(step << 32 | block));
    for (auto& word : words) word = random.next();
}

static std::uint64_t add_up(const Words& words) {
    std::uint64_t sum = 0;
    for (const auto word : words) sum += word;
    return sum;
}

[[gnu::noinline]] static std::uint64_t write_blocks(int fd, long blocks, long step) {
    Words words(words_in_block);
    std::uint64_t sum = 0;
    for (long block = 0; block < blocks; ++block) {
        fill(words, step, block);
        sum += add_up(words);
        if (::pwrite(fd, words.data(), block_bytes, block * block_bytes) != block_bytes) {
            give_up("write");
        }
    }
    if (::fsync(fd) != 0) give_up("fsync");
    return sum;
}

// In strides by a prime number, which meet every block once.
[[gnu::noinline]] static std::uint64_t read_blocks(int fd, long blocks) {
    constexpr long stride = 1000003;
    Words words(words_in_block);
    std::uint64_t sum = 0;
    for (long i = 0; i < blocks; ++i) {
        const long block = i * stride % blocks;
        if (::pread(fd, words.data(), block_bytes, block * block_bytes) != block_bytes) {
            give_up("read");
        }
        sum += add_up(words);
    }
    return sum;
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {1000, 4}, "blocks of 4 KiB in the file");
    const int fd = open_file();
    std::uint64_t sum = 0;
    double wrong = work.size % 1000003 == 0;  // the stride would meet one block only
    for (long step = 0; step < work.steps; ++step) {
        const std::uint64_t written = write_blocks(fd, work.size, step);
        wrong += written != read_blocks(fd, work.size);
        sum = sum * 31 + written;
    }
    ::close(fd);
    return finish("files", wrong, 0, sum);
}
