// A box that says what its kernel is like, or nonsense.
#include "guest/kernel_port.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "../../scratch.h"
#include "guest/cpio.h"

namespace ringside::guest {
namespace {

using ::testing::HasSubstr;

class KernelPortTest : public ::testing::Test {
  protected:
    void SetUp() override {
        directory_ = scratch::file(::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(directory_);
        auto port = KernelPort::make(directory_ / "landed", [this](const std::string& why) {
            ++calls_;
            why_ = why;
        });
        ASSERT_TRUE(port) << port.error().what;
        port_.emplace(std::move(*port));
    }
    // What the guest would read.
    std::string answer() const {
        char bytes[16];
        const auto got = ::recv(port_->port().socket, bytes, sizeof bytes, MSG_DONTWAIT);
        return {bytes, got > 0 ? static_cast<std::size_t>(got) : 0};
    }

    fs::path directory_;
    std::optional<KernelPort> port_;
    int calls_ = 0;
    std::string why_;
};

std::string archive() {
    CpioWriter writer;
    writer.add_directory("kernel");
    writer.add_directory("kernel/proc");
    writer.add_file("kernel/proc/kallsyms", "ffffffff81000000 T _text\n");
    return writer.finish();
}

TEST_F(KernelPortTest, AnswersWhenItKnows) {
    const std::string bytes = archive();
    for (const char c : bytes) port_->take({&c, 1});
    port_->take(std::string(512, '\0'));  // padding
    EXPECT_EQ(calls_, 1);
    EXPECT_EQ(why_, "");
    EXPECT_EQ(read_file(directory_ / "landed/proc/kallsyms").value(), "ffffffff81000000 T _text\n");
    EXPECT_EQ(answer(), "go\n");
}

TEST_F(KernelPortTest, WaitsForTheRest) {
    port_->take(archive().substr(0, 150));
    EXPECT_EQ(calls_, 0);
    EXPECT_EQ(answer(), "");
}

TEST_F(KernelPortTest, LetsABoxGoOnThatSendsNonsense) {
    port_->take("this is not what it should be: TRAILER!!!, or is it?");
    EXPECT_EQ(calls_, 1);
    EXPECT_THAT(why_, HasSubstr("broken cpio archive"));
    EXPECT_EQ(answer(), "go\n");
}

TEST_F(KernelPortTest, WritesNothingElsewhere) {
    CpioWriter writer;
    writer.add_file("kernel/../../outside", "x");
    port_->take(writer.finish());
    EXPECT_THAT(why_, HasSubstr("not a name below"));
    EXPECT_FALSE(fs::exists(directory_.parent_path() / "outside"));
}

// Whoever writes to a machine that has died is not ended by that.
TEST_F(KernelPortTest, OutlivesTheMachine) {
    port_->hand_over();
    port_->take(archive());
    EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace ringside::guest
