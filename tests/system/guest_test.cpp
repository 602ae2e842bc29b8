// ringside guest: the embedded guest that runs what this machine has, two at once, a network that
// must be asked for, and a shell.
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

// A server on this machine's loopback that greets whoever comes.
class Greeter {
  public:
    Greeter() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_.get(), generic, length) != 0 || ::listen(socket_.get(), 1) != 0) return;
        ::getsockname(socket_.get(), generic, &length);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] {
            const base::Fd guest(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            [[maybe_unused]] const auto sent = ::write(guest.get(), "hello, guest\n", 13);
        });
    }
    ~Greeter() {
        ::shutdown(socket_.get(), SHUT_RDWR);  // ends accept()
        if (thread_.joinable()) thread_.join();
    }
    std::string port() const { return std::to_string(port_); }

  private:
    base::Fd socket_;
    int port_ = 0;
    std::thread thread_;
};

// One with a network and one without, at the same time.
TEST(Guest, RunsWhatThisMachineHas) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const Greeter greeter;
    base::CommandOutput with_network;
    std::thread other([&] {
        auto output = base::run({ringside, "guest", "run", "--network", "--", "bash", "-c",
                                 "cat </dev/tcp/10.0.2.2/" + greeter.port()});
        if (output) with_network = std::move(*output);
    });
    const auto output =
        base::run({"env", "-C", scratch.path().string(), "GREETING=it's here", ringside, "guest",
                   "run", "--share-env", "GREETING", "--", "bash", "-c",
                   "pwd; echo \"$GREETING\"; grep -c : /proc/net/dev; " + std::string(ringside) +
                       " --version; echo x >left || exit 1; exit 3"});
    const auto listed = base::run({ringside, "guest", "list", "--json"});
    other.join();
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 3) << output->stderr_text;
    EXPECT_THAT(output->stdout_text,
                HasSubstr(scratch.path().string() + "\nit's here\n1\nringside "))
        << "only the loopback interface is there";
    EXPECT_TRUE(fs::is_empty(scratch.path())) << "what a guest writes is gone with it";
    EXPECT_EQ(with_network.stdout_text, "hello, guest\n") << with_network.stderr_text;
    ASSERT_TRUE(listed);
    const Json list = Json::parse(listed->stdout_text, nullptr, false);
    ASSERT_TRUE(list.is_object()) << listed->stderr_text;
    EXPECT_EQ(list.at("kinds")[0].at("name"), "x86-guest");
    EXPECT_EQ(list.at("kinds")[0].at("set_up"), true);
}

TEST(Guest, IsListedWhileItRuns) {
    REQUIRE_BOX("x86");
    const auto inside = base::run({"bash", "-c",
                                   "\"$0\" guest run -- sleep 30 2>/dev/null & own=$!; "
                                   "for i in $(seq 300); do sleep 0.1; "
                                   "qemu=$(pgrep -P $own) && break; done; "
                                   "\"$0\" guest list; echo \"mine: process $qemu,\"; "
                                   "kill -INT $own; wait $own; echo ended with $?",
                                   ringside});
    ASSERT_TRUE(inside);
    const std::string& text = inside->stdout_text;
    const auto mine = text.find("mine: ");
    ASSERT_NE(mine, std::string::npos) << text;
    const auto end = text.find('\n', mine);
    EXPECT_THAT(text.substr(0, mine),
                HasSubstr("running: x86-guest, " + text.substr(mine + 6, end - mine - 6)));
    EXPECT_THAT(text, HasSubstr("ended with 130"));
}

// Everything is there but QEMU.
TEST(Guest, WithoutQemuItSaysWhatToInstall) {
    REQUIRE_BOX("x86");
    ASSERT_TRUE(base::run({ringside, "guest", "setup"}));
    const Scratch scratch;
    const auto output =
        base::run({"env", "PATH=" + scratch.path().string(), "TMPDIR=" + scratch.path().string(),
                   ringside, "compare", "-r", "1", "--on", "vm=guest", "--", "true"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 125);
    EXPECT_THAT(output->stderr_text, HasSubstr("qemu-system-x86"));
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

// Only a test VM is called so: the program must not be able to hurt another one.
TEST(Guest, AKernelThatPanicsIsExplained) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto output = base::run({"env", "TMPDIR=" + scratch.path().string(), ringside, "compare",
                                   "-r", "2", "--no-trace", "--on", "vm=guest", "--", "sh", "-c",
                                   "test \"$(uname -n)\" = box && echo c >/proc/sysrq-trigger"});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 125);
    EXPECT_THAT(output->stderr_text,
                HasSubstr("x86-guest ended while the command ran in x86-guest: Kernel panic"));
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Guest, HasAShell) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto input = scratch.write("input", "tty; echo $((6 * 7)); exit 5\n", 0644);
    const auto output = base::run(
        {"sh", "-c", "SHELL=/bin/sh timeout 200 \"$0\" guest shell <\"$1\"", ringside, input});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->status.shell_code(), 5) << output->stderr_text << output->stdout_text;
    EXPECT_THAT(output->stdout_text, HasSubstr("/dev/hvc0"));
    EXPECT_THAT(output->stdout_text, HasSubstr("42"));
}

}  // namespace
}  // namespace ringside::system_test
