#include "proc/orphans.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"

namespace ringside::proc {
namespace {

using base::Fd;
using base::spawn;
using base::SpawnOptions;

// What a child started is left when it is killed, and holds the write end of the pipe that this is
// the read end of.
Fd leave_orphans() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Fd();
    const Fd write_end(ends[1]);
    SpawnOptions options;
    options.stdout_fd = write_end.get();
    const std::string tree = "sh -c 'sleep 1000.5 & sleep 1000.5' & sleep 1000.5 & kill -9 $$";
    auto child = spawn({"sh", "-c", tree}, options);
    if (!child) return Fd();
    const auto status = child->wait();
    EXPECT_TRUE(status && status->signal == SIGKILL);
    return Fd(ends[0]);
}

TEST(Orphans, AreEndedWithTheirChildren) {
    const Orphans orphans;
    const Fd output = leave_orphans();
    orphans.end();
    char byte = 0;
    EXPECT_EQ(::read(output.get(), &byte, 1), 0) << "nobody holds the pipe any more";
}

TEST(Orphans, LeaveAloneWhatWasStartedBefore) {
    auto before = spawn({"sleep", "1000.5"});
    ASSERT_TRUE(before);
    const Orphans orphans;
    leave_orphans();
    orphans.end();
    const auto status = before->poll();
    ASSERT_TRUE(status);
    EXPECT_FALSE(status->has_value()) << "it still runs";
}

TEST(Orphans, GoToInitAgainAfterwards) {
    { const Orphans orphans; }
    int reaper = -1;
    ::prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    EXPECT_EQ(reaper, 0);
}

}  // namespace
}  // namespace ringside::proc
