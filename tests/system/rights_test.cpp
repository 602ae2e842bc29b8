// What a guest reaches of this machine that is not meant for it, and what its QEMU may do here.
#include <map>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// "VmRSS:	 123 kB" of a process, by its name; empty if that process is gone.
std::string status_of(const std::string& pid, std::string_view name) {
    const auto status = base::SysRoot().read("/proc/" + pid + "/status").value_or("");
    for (const auto line : base::split_lines(status)) {
        if (line.starts_with(name) && line.substr(name.size()).starts_with(":")) {
            return std::string(base::trim(line.substr(name.size() + 1)));
        }
    }
    return "";
}

bool is_below(std::string pid, pid_t ancestor) {
    while (!pid.empty() && pid != "0") {
        if (pid == std::to_string(ancestor)) return true;
        pid = status_of(pid, "PPid");
    }
    return false;
}

// Those below `ancestor` whose command line holds `text`.
std::vector<std::string> processes_below(pid_t ancestor, const std::string& text) {
    std::vector<std::string> found;
    for (const int pid : processes_with(text)) {
        if (is_below(std::to_string(pid), ancestor)) found.push_back(std::to_string(pid));
    }
    return found;
}

// A home with keys, a folder to work in that only we may enter, and secrets beside it.
class SecretsHere : public ::testing::Test {
  protected:
    void SetUp() override {
        REQUIRE_BOX("x86");
        for (const auto* folder : {"home/.ssh", "home/work", "beside", "asked"}) {
            fs::create_directories(scratch_.path() / folder);
        }
        for (const auto* file : {"home/.ssh/id", "home/.netrc", "beside/key", "asked/file"}) {
            static_cast<void>(scratch_.write(file, "S3CRET\n", 0644));
        }
        static_cast<void>(scratch_.write("home/work/data", "data of this machine\n", 0600));
        ::chmod(scratch_.file("home/work").c_str(), 0700);
    }
    std::vector<std::string> guest(const std::vector<std::string>& words) const {
        std::vector<std::string> argv{"env",
                                      "-C",
                                      scratch_.file("home/work"),
                                      "HOME=" + scratch_.file("home"),
                                      "SERVICE_PASSWORD=S3CRET",
                                      "ASKED=given",
                                      ringside,
                                      "guest",
                                      "run"};
        const char* home = std::getenv("HOME");
        const auto cache = fs::path(home != nullptr ? home : "/root") / ".cache/ringside";
        if (std::getenv("RINGSIDE_CACHE") == nullptr) {
            argv.insert(argv.begin() + 3, "RINGSIDE_CACHE=" + cache.string());
        }
        argv.insert(argv.end(), words.begin(), words.end());
        return argv;
    }

    Scratch scratch_;
};

// The program is root in there, and so is not kept to what init shows it: what its machine was lent
// lies at /layers/below of the first process.
TEST_F(SecretsHere, AreNotSeenByAGuest) {
    const std::string below = "/proc/1/root/layers/below";
    const std::string here = scratch_.path().string();
    const std::string look = "env; cat data; cat " + below + here + "/home/work/data; cat " + here +
                             "/asked/file; "
                             "for root in '' " +
                             below +
                             "; do "
                             "cat $root" +
                             here + "/home/.ssh/id $root" + here + "/home/.netrc $root" + here +
                             "/beside/key; cat $root/etc/shadow; done; "
                             "cd " +
                             below + " && cat proc/self/environ proc/self/maps proc/" +
                             std::to_string(::getpid()) +
                             "/environ dev/mem; "
                             "grep -rs S3CRET " +
                             below + here + "/beside " + below + here +
                             "/home; "
                             "grep root etc/passwd; echo looked";
    const auto output = base::run(
        guest({"--share", scratch_.file("asked"), "--share-env", "ASKED", "--", "sh", "-c", look}));
    ASSERT_TRUE(output) << output.error().what;
    const std::string& out = output->stdout_text;
    EXPECT_THAT(out, HasSubstr("looked\n")) << output->stderr_text;
    EXPECT_THAT(out, HasSubstr("data of this machine\ndata of this machine\nS3CRET\n"))
        << "the working directory, and what was asked for";
    EXPECT_THAT(out, HasSubstr("ASKED=given\n"));
    EXPECT_THAT(out, HasSubstr("root:x:0:0:")) << "/etc/passwd is no secret";
    const auto first = out.find("S3CRET");
    EXPECT_EQ(out.find("S3CRET", first + 1), std::string::npos) << out;
    for (const auto* secret :
         {"SERVICE_PASSWORD", "root:*", "root:$", "root:!", "/qemu-system", "HOME=/root"}) {
        EXPECT_THAT(out, Not(HasSubstr(secret)));
    }
    EXPECT_THAT(output->stderr_text, HasSubstr("left out of the environment: "));
    EXPECT_THAT(output->stderr_text, HasSubstr("SERVICE_PASSWORD"));
    EXPECT_THAT(output->stderr_text, Not(HasSubstr("S3CRET")));
}

TEST_F(SecretsHere, QemuHasFewRightsHere) {
    auto child = base::spawn(guest({"--", "sleep", "1000"}));
    ASSERT_TRUE(child);
    std::vector<std::string> qemus;
    for (int tries = 0; tries < 3000 && qemus.empty(); ++tries) {
        ::usleep(20'000);
        qemus = processes_below(child->pid(), "ringside-box@");
    }
    ASSERT_EQ(qemus.size(), 1u);
    const std::string& qemu = qemus.front();
    // Filtered by -sandbox, which it sets up after a while.
    for (int tries = 0; tries < 500 && status_of(qemu, "Seccomp") != "2"; ++tries) ::usleep(20'000);
    EXPECT_EQ(status_of(qemu, "Seccomp"), "2");
    EXPECT_EQ(status_of(qemu, "NoNewPrivs"), "1");
    const auto environment = base::SysRoot().read("/proc/" + qemu + "/environ");
    ASSERT_TRUE(environment);
    EXPECT_THAT(*environment, Not(HasSubstr("S3CRET")));
    if (::geteuid() == 0) {
        EXPECT_THAT(status_of(qemu, "Uid"), HasSubstr("65534\t65534\t65534"));
        EXPECT_THAT(status_of(qemu, "Groups"), Not(HasSubstr("0 ")));
        // CAP_DAC_READ_SEARCH, for what only root may read of what is shared.
        EXPECT_EQ(status_of(qemu, "CapEff"), "0000000000000004");
        EXPECT_EQ(status_of(qemu, "CapBnd"), "0000000000000004");
    }
    child->send_signal(SIGINT);
    ASSERT_TRUE(child->wait());
    EXPECT_THAT(status_of(qemu, "Uid"), IsEmpty());
}

// Into a cache that only we may enter.
TEST(Packages, AreFetchedByAptsOwnUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root's apt becomes another user";
    const auto account = base::run({"id", "-u", "_apt"});
    if (!account || account->status.shell_code() != 0) GTEST_SKIP() << "this apt has no user _apt";
    const std::string apt(base::trim(account->stdout_text));
    const Scratch scratch;
    base::SpawnOptions options;
    options.extra_env = {"RINGSIDE_CACHE=" + scratch.file("cache")};
    auto child = base::spawn({ringside, "guest", "sysroot", "amd64", "--", "hostname"}, options);
    ASSERT_TRUE(child);
    std::map<std::string, std::set<std::string>> users;  // of each method
    std::optional<base::ExitStatus> ended;
    while (!ended) {
        const auto status = child->wait_for(std::chrono::milliseconds(20));
        ASSERT_TRUE(status);
        ended = *status;
        for (const auto& pid : processes_below(child->pid(), "/apt/methods/")) {
            const auto line = base::SysRoot().read("/proc/" + pid + "/cmdline").value_or("");
            const auto uids = status_of(pid, "Uid");
            if (!uids.empty()) {
                users[line.c_str()].insert(std::string(base::split(uids, '\t').front()));
            }
        }
    }
    if (ended->shell_code() != 0) GTEST_SKIP() << "no packages can be fetched here";
    ASSERT_THAT(users, Not(IsEmpty()));
    // Started as root, it becomes the other when it begins.
    EXPECT_THAT(users, Each(Pair(_, Contains(apt))));
}

}  // namespace
}  // namespace ringside::system_test
