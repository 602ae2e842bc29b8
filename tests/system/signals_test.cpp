// A box that is interrupted leaves nothing behind: no QEMU, no temporary file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scratch_dir.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::IsEmpty;

// Starts a box that says when its command runs and then never ends; its temporary files go to
// `scratch`, so that its processes can be told from those of others.
class EndlessBox {
  public:
    explicit EndlessBox(const Scratch& scratch) : child_(start(scratch, output_)) {
        char byte = 0;
        while (::read(output_.get(), &byte, 1) == 1 && byte != '\n') {
        }
        started_ = byte == '\n';
    }
    bool started() const { return started_; }
    int end_with(int signal) {
        child_.send_signal(signal);
        const auto status = child_.wait();
        return status ? status->shell_code() : -1;
    }

  private:
    static base::Child start(const Scratch& scratch, base::Fd& output) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
        output = base::Fd(ends[0]);
        const base::Fd write_end(ends[1]);
        base::SpawnOptions options;
        options.stdout_fd = write_end.get();
        options.extra_env = {"TMPDIR=" + scratch.path().string()};
        auto child = base::spawn(
            box_argv({"run", "arm64-pmu", "--", "sh", "-c", "echo started; while :; do :; done"}),
            options);
        if (!child) std::abort();
        return std::move(*child);
    }

    base::Fd output_;
    base::Child child_;
    bool started_ = false;
};

// The kernel needs a moment to end a killed process; waited for, not guessed.
std::vector<int> left_after_a_while(const std::string& text) {
    for (int tries = 0; tries < 500; ++tries) {
        if (processes_with(text).empty()) return {};
        ::usleep(20000);
    }
    return processes_with(text);
}

class Interrupted : public ::testing::TestWithParam<int> {};

TEST_P(Interrupted, LeavesNothing) {
    REQUIRE_BOX("arm64");
    const Scratch scratch;
    EndlessBox box(scratch);
    ASSERT_TRUE(box.started());
    ASSERT_FALSE(processes_with(scratch.path().string()).empty()) << "QEMU names its files";
    EXPECT_EQ(box.end_with(GetParam()), 128 + GetParam());
    EXPECT_THAT(processes_with(scratch.path().string()), IsEmpty());
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& tested) {
                             return tested.param == SIGINT ? "Int" : "Term";
                         });

TEST(Killed, TakesQemuAlong) {
    REQUIRE_BOX("arm64");
    const Scratch scratch;
    EndlessBox box(scratch);
    ASSERT_TRUE(box.started());
    EXPECT_EQ(box.end_with(SIGKILL), 128 + SIGKILL);
    EXPECT_THAT(left_after_a_while(scratch.path().string()), IsEmpty());
    // Who is killed cannot tidy up. The next of us in the same place does.
    EXPECT_FALSE(fs::is_empty(scratch.path()));
    ASSERT_TRUE(base::ScratchDir::make_below(scratch.path(), "ringside-next"));
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

}  // namespace
}  // namespace ringside::system_test
