// The BPF program against the running kernel; skipped where it may not be loaded.
#include "bpf/io_tracer.h"

#include <cstdlib>
#include <numeric>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/fd.h"
#include "base/text.h"

namespace ringside::bpf {
namespace {

class IoTracerTest : public testing::Test {
  protected:
    void SetUp() override {
        auto loaded = IoTracer::load(base::SysRoot());
        if (!loaded) GTEST_SKIP() << loaded.error().what;
        tracer_ = std::move(*loaded);
        std::string pattern = "/tmp/ringside_ioXXXXXX";
        file_ = base::Fd(::mkstemp(pattern.data()));
        path_ = pattern;
        ASSERT_TRUE(file_);
        const std::string text(10000, 'x');
        ASSERT_EQ(::write(file_.get(), text.data(), text.size()), 10000);
    }
    void TearDown() override { ::unlink(path_.c_str()); }

    void follow_self(Follow how) { ASSERT_TRUE(tracer_->follow(::gettid(), how)); }
    io_counts counts() const {
        io_counts sum{};
        tracer_->add_to(sum);
        return sum;
    }
    const io_file_counts* file(const std::string& path) {
        record_ = tracer_->read();
        for (const auto& entry : record_.files) {
            if (entry.path == path) return &entry.counts;
        }
        return nullptr;
    }

    std::unique_ptr<IoTracer> tracer_;
    base::Fd file_;
    std::string path_;
    model::IoRecord record_;
    std::array<char, 4096> buffer_{};
};

io_word sum_of(const io_word (&histogram)[IO_BUCKETS]) {
    return std::accumulate(std::begin(histogram), std::end(histogram), io_word{0});
}

TEST_F(IoTracerTest, CountsReadsByHowTheyEnded) {
    follow_self(Follow::none);
    ASSERT_EQ(::lseek(file_.get(), 0, SEEK_SET), 0);
    for (const ssize_t wanted : {4096, 4096, 1808, 0}) {
        ASSERT_EQ(::read(file_.get(), buffer_.data(), buffer_.size()), wanted);
    }
    ASSERT_EQ(::read(-1, buffer_.data(), 1), -1);
    const io_counts all = counts();
    const io_op_counts& reads = all.ops[IO_READ];
    EXPECT_EQ(reads.calls, 5u);
    EXPECT_EQ(reads.bytes, 10000u);
    EXPECT_EQ(reads.asked_bytes, 4 * 4096u + 1);
    EXPECT_EQ(reads.short_calls, 1u);
    EXPECT_EQ(reads.ends, 1u);
    EXPECT_EQ(reads.errors, 1u);
    EXPECT_EQ(reads.timed, 5u);
    EXPECT_GT(reads.ticks, 0u);
    EXPECT_EQ(sum_of(all.histograms[IO_READ]), 5u);
    EXPECT_EQ(all.ops[IO_SEEK].calls, 1u);
    const auto* row = file(path_);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->read_calls, 4u);
    EXPECT_EQ(row->read_bytes, 10000u);
}

TEST_F(IoTracerTest, VectorsMovesAndSockets) {
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
    const base::Fd left(pair[0]);
    const base::Fd right(pair[1]);
    follow_self(Follow::none);
    iovec parts[2] = {{buffer_.data(), 100}, {buffer_.data() + 100, 200}};
    ASSERT_EQ(::preadv(file_.get(), parts, 2, 0), 300);
    off_t from = 0;
    ASSERT_EQ(::sendfile(left.get(), file_.get(), &from, 1000), 1000);
    ASSERT_EQ(::read(right.get(), buffer_.data(), 600), 600);
    ASSERT_EQ(::recv(right.get(), buffer_.data(), 1000, 0), 400);
    ASSERT_EQ(::recv(right.get(), buffer_.data(), 1000, 0), -1);
    const io_counts all = counts();
    EXPECT_EQ(all.ops[IO_READ].calls, 3u);  // preadv, the file of sendfile, the socket
    EXPECT_EQ(all.ops[IO_READ].bytes, 1900u);
    EXPECT_EQ(all.ops[IO_READ].short_calls, 0u);
    EXPECT_EQ(all.ops[IO_WRITE].bytes, 1000u);
    EXPECT_EQ(all.ops[IO_SOCK_WRITE].bytes, 1000u);
    EXPECT_EQ(all.ops[IO_SOCK_READ].bytes, 600u);
    EXPECT_EQ(all.ops[IO_RECV].calls, 2u);
    EXPECT_EQ(all.ops[IO_RECV].bytes, 400u);
    EXPECT_EQ(all.ops[IO_RECV].would_block, 1u);
    const auto* sockets = file("(sockets)");
    ASSERT_NE(sockets, nullptr);
    EXPECT_EQ(sockets->read_bytes, 1000u);
    EXPECT_EQ(sockets->write_bytes, 1000u);
}

TEST_F(IoTracerTest, FollowsThreadsAndChildren) {
    follow_self(Follow::children);
    const auto read_once = [&] { ASSERT_EQ(::pread(file_.get(), buffer_.data(), 100, 0), 100); };
    std::thread(read_once).join();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::pread(file_.get(), buffer_.data(), 50, 0) == 50 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    io_word thread_bytes = 0;
    io_word child_bytes = 0;
    for (const auto& thread : tracer_->read().threads) {
        if (thread.pid == child) child_bytes += thread.counts.ops[IO_READ].bytes;
        if (thread.pid == ::getpid()) thread_bytes += thread.counts.ops[IO_READ].bytes;
    }
    EXPECT_EQ(child_bytes, 50u);
    EXPECT_EQ(thread_bytes, 100u);
}

// As a program in a container does.
TEST_F(IoTracerTest, PathsAreThoseThatTheProgramSees) {
    follow_self(Follow::children);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::chroot("/tmp") != 0) ::_exit(2);
        ::_exit(::pread(file_.get(), buffer_.data(), 50, 0) == 50 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    const auto* row = file(path_.substr(4));  // without "/tmp"
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->read_bytes, 50u);
}

TEST_F(IoTracerTest, OthersAreNotCounted) {
    ASSERT_EQ(::pread(file_.get(), buffer_.data(), 100, 0), 100);
    EXPECT_EQ(counts().ops[IO_READ].calls, 0u);
}

TEST(IoSyscalls, NumbersAreThoseOfThisMachine) {
    const std::vector<std::pair<std::string, long>> known{
        {"read", SYS_read},         {"write", SYS_write},       {"pread64", SYS_pread64},
        {"preadv2", SYS_preadv2},   {"openat", SYS_openat},     {"close", SYS_close},
        {"lseek", SYS_lseek},       {"ppoll", SYS_ppoll},       {"recvfrom", SYS_recvfrom},
        {"sendmmsg", SYS_sendmmsg}, {"splice", SYS_splice},     {"sendfile", SYS_sendfile},
        {"recvmsg", SYS_recvmsg},   {"pselect6", SYS_pselect6}, {"epoll_pwait", SYS_epoll_pwait},
    };
#if defined(__aarch64__)
    constexpr std::size_t column = 8;
#else
    constexpr std::size_t column = 6;
#endif
    const auto rows = base::parse_csv(base::embedded_file("io/syscalls.csv").value());
    for (const auto& [name, number] : known) {
        const auto row =
            std::find_if(rows.begin(), rows.end(),
                         [&name = name](const auto& candidate) { return candidate[0] == name; });
        ASSERT_NE(row, rows.end()) << name;
        EXPECT_EQ((*row)[column], std::to_string(number)) << name;
    }
}

}  // namespace
}  // namespace ringside::bpf
