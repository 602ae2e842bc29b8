// Children that give up rights, and what they can do then.
#include "base/confinement.h"

#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../scratch.h"
#include "base/process.h"
#include "base/text.h"

namespace ringside::base {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr LesserUser nobody{65534, 65534, {}, {}};

std::string write_file(const std::string& name, mode_t mode = 0644) {
    const std::string path = scratch::file(name);
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << "content of " << name;
    ::chmod(path.c_str(), mode);
    return path;
}

// What a confined shell prints.
std::string said_by(const Confinement& confinement, const std::string& script) {
    SpawnOptions options;
    options.confinement = confinement;
    const auto output = run({"sh", "-c", script}, std::chrono::minutes(1), options);
    EXPECT_TRUE(output) << (output ? "" : output.error().what);
    return output ? output->stdout_text + output->stderr_text : "";
}

class Ruled : public ::testing::Test {
  protected:
    void SetUp() override {
        auto made = FileRules::make();
        if (!made) GTEST_SKIP() << made.error().what;
        rules_.emplace(std::move(*made));
        for (const auto* system : {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"}) {
            ASSERT_TRUE(rules_->allow_reading(system));
        }
        ASSERT_TRUE(rules_->allow_writing("/dev/null"));
    }
    // Root without its capabilities, some of which look at other processes whatever the rules.
    Confinement confinement() const {
        Confinement confinement;
        if (::geteuid() == 0 && can_change_user()) confinement.user = LesserUser{0, 0, {}, {}};
        confinement.file_rules = rules_->fd();
        return confinement;
    }
    std::string said(const std::string& script) const { return said_by(confinement(), script); }
    std::optional<FileRules> rules_;
};

TEST_F(Ruled, WhatIsNotAllowedIsNotRead) {
    const auto inside = write_file("rules/inside/file");
    const auto outside = write_file("rules/outside/file");
    ASSERT_TRUE(rules_->allow_reading(fs::path(inside).parent_path().string()));
    EXPECT_EQ(said("cat " + inside), "content of rules/inside/file");
    for (const auto& way : {outside, fs::path(inside).parent_path().string() + "/../outside/file",
                            "/proc/self/root" + outside}) {
        EXPECT_THAT(said("cat " + way), HasSubstr("ermission denied")) << way;
    }
    fs::create_symlink(outside, scratch::file("rules/inside/link"));
    EXPECT_THAT(said("cat " + scratch::file("rules/inside/link")), HasSubstr("ermission denied"));
}

TEST_F(Ruled, WhatIsAllowedToBeReadIsNotWritten) {
    const auto file = write_file("rules/read/file");
    const auto folder = fs::path(file).parent_path().string();
    ASSERT_TRUE(rules_->allow_reading(folder));
    for (const auto& script : {"echo >" + file, "echo >>" + file, "rm " + file,
                               "mv " + file + " " + folder + "/b", "mkdir " + folder + "/d"}) {
        EXPECT_THAT(said(script + " && echo done"), Not(HasSubstr("done"))) << script;
    }
    EXPECT_EQ(said("cat " + file), "content of rules/read/file");
}

TEST_F(Ruled, FilesButNoLinksAreMadeInAnOpenFolder) {
    const auto folder = scratch::file("rules/made");
    fs::create_directories(folder);
    const Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(rules_->allow_files_in(opened));
    EXPECT_EQ(said("echo a >" + folder + "/f; cat " + folder + "/f"), "a\n");
    EXPECT_THAT(said("ln -s /etc/shadow " + folder + "/link"), HasSubstr("ermission denied"));
    EXPECT_FALSE(fs::is_symlink(folder + "/link"));
}

// Of another of the same user and the same capabilities.
TEST_F(Ruled, OfWhatIsOutsideNothingIsTraced) {
    SpawnOptions options;
    options.confinement = confinement();
    options.confinement->file_rules = -1;
    options.extra_env = {"OUTSIDE=S3CRET"};
    const auto outside = spawn({"sleep", "1000"}, options);
    ASSERT_TRUE(outside);
    const std::string look = "cat /proc/" + std::to_string(outside->pid()) + "/environ";
    EXPECT_THAT(said_by(*options.confinement, look), HasSubstr("S3CRET"));
    ASSERT_TRUE(rules_->allow_reading("/proc"));
    EXPECT_THAT(said(look), HasSubstr("ermission denied"));
}

TEST_F(Ruled, ItsOwnMapsAreReadIfItNeedsThem) {
    Confinement confinement = this->confinement();
    EXPECT_THAT(said_by(confinement, "read line </proc/self/maps && echo read"),
                Not(HasSubstr("read\n")));
    confinement.reads_own_maps = true;
    EXPECT_THAT(said_by(confinement, "read line </proc/$$/maps && echo read"), HasSubstr("read\n"));
}

class Lesser : public ::testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0 || !can_change_user()) GTEST_SKIP() << "only root becomes another";
    }
};

TEST_F(Lesser, UserHasNothingOfRoots) {
    const auto secret = write_file("lesser/root_s", 0600);
    const std::string said = said_by({nobody},
                                     "id -u; id -G; grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)' "
                                     "/proc/self/status; cat " +
                                         secret);
    EXPECT_THAT(said, HasSubstr("65534\n65534\n"));
    for (const auto* line :
         {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000",
          "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "ermission denied"}) {
        EXPECT_THAT(said, HasSubstr(line));
    }
}

TEST_F(Lesser, RootHasNoCapabilityEither) {
    EXPECT_THAT(said_by({LesserUser{0, 0, {}, {}}}, "id -u; grep ^CapEff /proc/self/status"),
                HasSubstr("0\nCapEff:\t0000000000000000"));
}

TEST_F(Lesser, UserKeepsOneGroupAndOneCapability) {
    if (!has_capability(CAP_DAC_READ_SEARCH)) GTEST_SKIP() << "we have no such capability";
    const auto secret = write_file("lesser/secret", 0600);
    LesserUser user = nobody;
    user.group = 7;
    user.kept_capability = CAP_DAC_READ_SEARCH;
    const std::string said = said_by({user}, "id -G; cat " + secret + "; echo bad >>" + secret +
                                                 "; grep ^CapEff /proc/self/status");
    EXPECT_THAT(said, HasSubstr("65534 7\ncontent of lesser/secret"));
    EXPECT_THAT(said, HasSubstr("ermission denied"));
    EXPECT_THAT(said, HasSubstr("CapEff:\t0000000000000004"));
}

// The kernel forgets with whom a process shall die when its user changes.
TEST_F(Lesser, UserDiesWithUs) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        SpawnOptions options;
        options.confinement = Confinement{nobody};
        const auto child = spawn({"sleep", "1000"}, options);
        const pid_t pid = child ? child->pid() : 0;
        if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
        ::pause();
        ::_exit(0);
    }
    pid_t sleeper = 0;
    ASSERT_EQ(::read(ends[0], &sleeper, sizeof sleeper), static_cast<ssize_t>(sizeof sleeper));
    ASSERT_GT(sleeper, 0);
    const auto command = "/proc/" + std::to_string(sleeper) + "/cmdline";
    const auto lives = [&] {
        std::string text;
        std::getline(std::ifstream(command), text);
        return contains(text, "sleep");
    };
    EXPECT_TRUE(lives());
    ::kill(parent, SIGKILL);
    ::waitpid(parent, nullptr, 0);
    for (int tries = 0; tries < 1000 && lives(); ++tries) ::usleep(10'000);
    EXPECT_FALSE(lives());
    if (lives()) ::kill(sleeper, SIGKILL);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(Process, ACleanEnvironmentHasNothingOfOurs) {
    ::setenv("RINGSIDE_TEST_SECRET", "S3CRET", 1);
    SpawnOptions options;
    options.clean_env = true;
    options.extra_env = {"A=b"};
    const auto output = run({"/usr/bin/env"}, std::chrono::minutes(1), options);
    ::unsetenv("RINGSIDE_TEST_SECRET");
    ASSERT_TRUE(output);
    EXPECT_EQ(output->stdout_text, "A=b\n");
}

// A right that could not be given up is no reason to go on with it.
TEST(Process, AChildThatCannotBeConfinedDoesNotRun) {
    SpawnOptions options;
    options.confinement = Confinement{};
    options.confinement->file_rules = 987654;
    const auto output = run({"echo", "ran"}, std::chrono::minutes(1), options);
    ASSERT_FALSE(output);
    EXPECT_THAT(output.error().what, HasSubstr("cannot run echo"));
}

}  // namespace
}  // namespace ringside::base
