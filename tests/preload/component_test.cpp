// The io component in a process that carries the interposer: preloaded, or linked with the program.
#include <array>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "components/io/io.h"
#include "components/io/sources.h"

namespace ringside::components::io {
namespace {

class IoComponentTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!Interposer::find()) FAIL() << "the interposer is not in this program";
        std::string pattern = "/tmp/ringside_ioXXXXXX";
        file_ = base::Fd(::mkstemp(pattern.data()));
        ASSERT_TRUE(file_);
        ::unlink(pattern.c_str());
        ASSERT_EQ(::ftruncate(file_.get(), 10000), 0);
    }

    session::CountersPtr started(const std::vector<std::string_view>& names,
                                 const SetOptions& options = {}) {
        std::vector<session::ComponentEvent> events;
        for (const auto name : names) events.push_back(component_->find(name).value());
        auto counters = component_->open(events, options);
        EXPECT_TRUE(counters) << counters.error().what;
        EXPECT_TRUE((*counters)->start());
        values_.assign(names.size(), -1);
        return std::move(*counters);
    }
    const std::vector<std::int64_t>& values(session::Counters& counters) {
        EXPECT_TRUE(counters.read_values(values_));
        return values_;
    }
    void read_file(int times, std::size_t bytes) {
        for (int i = 0; i < times; ++i) {
            ASSERT_EQ(::pread(file_.get(), buffer_.data(), bytes, 0), static_cast<ssize_t>(bytes));
        }
    }

    using Values = std::vector<std::int64_t>;
    session::ComponentPtr component_ = make({});
    base::Fd file_;
    std::array<char, 4096> buffer_{};
    Values values_;
};

SetOptions own_process() {
    SetOptions options;
    options.target = Target::process(::getpid());
    return options;
}

TEST_F(IoComponentTest, IsAvailable) {
    const auto available = component_->availability();
    EXPECT_TRUE(available.usable);
    EXPECT_EQ(available.reason, "");
}

TEST_F(IoComponentTest, CountsTheCallingThreadAlone) {
    const auto counters = started({"READ_CALLS", "READ_BYTES", "READ_BLOCK_SIZE", "READ_ERR"});
    read_file(10, 100);
    std::thread([&] { read_file(5, 100); }).join();
    EXPECT_EQ(values(*counters), (Values{10, 1000, 100, 0}));
}

TEST_F(IoComponentTest, CountsTheWholeProcess) {
    const auto counters = started({"READ_CALLS", "READ_BYTES"}, own_process());
    read_file(10, 100);
    std::thread([&] { read_file(5, 100); }).join();
    EXPECT_EQ(values(*counters), (Values{15, 1500}));
}

TEST_F(IoComponentTest, CountsAnotherThread) {
    SetOptions options;
    session::CountersPtr counters;
    std::thread([&] {
        options.target = Target::thread(::gettid());
        std::thread([&] { counters = started({"READ_CALLS"}, options); }).join();
        read_file(7, 100);
    }).join();
    read_file(3, 100);
    EXPECT_EQ(values(*counters), Values{7});
}

TEST_F(IoComponentTest, StartsFromZeroAndKeepsWhatItHadWhenStopped) {
    const auto counters = started({"READ_CALLS"});
    read_file(4, 100);
    ASSERT_TRUE(counters->stop());
    read_file(4, 100);
    EXPECT_EQ(values(*counters), Values{4});
    ASSERT_TRUE(counters->start());
    read_file(2, 100);
    EXPECT_EQ(values(*counters), Values{2});
    ASSERT_TRUE(counters->reset());
    read_file(1, 100);
    EXPECT_EQ(values(*counters), Values{1});
}

TEST_F(IoComponentTest, TimesCallsThatReachTheKernel) {
    const auto counters = started({"READ_NSEC", "READ_USEC", "READ_P50_NSEC", "READ_P99_NSEC",
                                   "READ_KERNEL_CALLS", "WRITE_NSEC"});
    read_file(1000, 4096);
    const auto& got = values(*counters);
    EXPECT_GT(got[0], 0);
    EXPECT_NEAR(static_cast<double>(got[0]) / 1000, static_cast<double>(got[1]), 1);
    EXPECT_GT(got[2], 0);
    EXPECT_GE(got[3], got[2]);
    EXPECT_LE(got[2], got[0]);
    EXPECT_EQ(got[4], 1000);
    EXPECT_EQ(got[5], 0);
}

TEST_F(IoComponentTest, OpenFilesAndStrides) {
    const auto counters =
        started({"OPEN_CALLS", "OPEN_ERR", "OPEN_FDS", "SEEK_CALLS", "SEEK_ABS_STRIDE_SIZE"});
    const int kept = ::open("/dev/null", O_RDONLY);
    const int closed = ::open("/dev/null", O_RDONLY);
    ::close(closed);
    EXPECT_EQ(::open("/no/such/file", O_RDONLY), -1);
    ::lseek(file_.get(), 100, SEEK_SET);
    ::lseek(file_.get(), -50, SEEK_CUR);
    EXPECT_EQ(values(*counters), (Values{3, 1, 1, 2, 75}));
    ::close(kept);
}

TEST_F(IoComponentTest, SocketsOnTheirOwn) {
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
    const auto counters =
        started({"SOCK_WRITE_BYTES", "SOCK_READ_BYTES", "RECV_BYTES", "WRITE_BYTES", "READ_CALLS"});
    EXPECT_EQ(::write(pair[0], buffer_.data(), 300), 300);
    EXPECT_EQ(::read(pair[1], buffer_.data(), 100), 100);
    EXPECT_EQ(::recv(pair[1], buffer_.data(), 200, 0), 200);
    EXPECT_EQ(values(*counters), (Values{300, 100, 200, 300, 1}));
    ::close(pair[0]);
    ::close(pair[1]);
}

// A forked child that counts on in its copy of the memory.
TEST_F(IoComponentTest, AChildGoesOnCounting) {
    const auto counters = started({"READ_CALLS"});
    read_file(2, 100);
    const pid_t child = ::fork();
    if (child == 0) {
        read_file(3, 100);
        ::_exit(values(*counters) == Values{5} ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(values(*counters), Values{2});
}

TEST_F(IoComponentTest, TheLibrarysOwnCallsAreNotCounted) {
    const auto counters = started({"READ_CALLS", "OPEN_CALLS", "CLOSE_CALLS", "WRITE_CALLS"});
    EXPECT_TRUE(base::SysRoot().read("/proc/self/status"));
    (void)component_->availability();
    EXPECT_EQ(values(*counters), (Values{0, 0, 0, 0}));
}

// Buffered calls are counted, and of their time only what the kernel took.
TEST_F(IoComponentTest, StreamsReachTheKernelOnceABuffer) {
    FILE* stream = ::fdopen(::dup(file_.get()), "r");
    ASSERT_NE(stream, nullptr);
    const auto counters = started({"READ_CALLS", "READ_BYTES", "READ_KERNEL_CALLS"});
    char byte = 0;
    for (int i = 0; i < 4096; ++i) ASSERT_EQ(std::fread(&byte, 1, 1, stream), 1u);
    EXPECT_EQ(values(*counters), (Values{4096, 4096, 1}));
    std::fclose(stream);
}

TEST_F(IoComponentTest, AnotherProcessThroughTheKernel) {
    std::array<int, 2> go{};
    std::array<int, 2> done{};
    ASSERT_EQ(::pipe(go.data()), 0);
    ASSERT_EQ(::pipe(done.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char byte = 0;
        if (::read(go[0], &byte, 1) != 1) ::_exit(1);
        read_file(6, 100);
        if (::write(done[1], &byte, 1) != 1) ::_exit(1);
        ::_exit(::read(go[0], &byte, 1) == 1 ? 0 : 1);
    }
    SetOptions options;
    options.target = Target::process(child);
    const std::vector<session::ComponentEvent> events{component_->find("READ_BYTES").value()};
    auto counters = component_->open(events, options);
    const char byte = 0;
    if (counters) {
        ASSERT_TRUE((*counters)->start());
        ASSERT_EQ(::write(go[1], &byte, 1), 1);
        char answer = 0;
        ASSERT_EQ(::read(done[0], &answer, 1), 1);
        values_.assign(1, -1);
        // The read of the pipe, in which it waited, began before the set.
        EXPECT_EQ(values(**counters), Values{600});
    } else {
        ASSERT_EQ(::write(go[1], &byte, 1), 1);
    }
    ASSERT_EQ(::write(go[1], &byte, 1), 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (!counters) GTEST_SKIP() << counters.error().what;
}

TEST_F(IoComponentTest, TargetsItCannotTellApartAreRefused) {
    const std::vector<session::ComponentEvent> events{component_->find("READ_BYTES").value()};
    SetOptions options;
    options.target = Target::system();
    EXPECT_EQ(component_->open(events, options).error().code, ErrorCode::unsupported);
    options.target = Target::calling_thread();
    options.inherit = true;
    EXPECT_EQ(component_->open(events, options).error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace ringside::components::io
