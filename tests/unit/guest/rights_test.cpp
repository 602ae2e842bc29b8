// What QEMU is lent, and what it may use of it.
#include "guest/rights.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../scratch.h"
#include "base/process.h"
#include "base/scratch_dir.h"

namespace ringside::guest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Stands in for QEMU: with its rights, and what it inherits.
std::string said_by_qemu(const Rights& rights, const std::string& script) {
    base::SpawnOptions options;
    options.confinement = rights.confinement();
    options.kept_fds = rights.fds();
    const auto output = base::run({"sh", "-c", script}, std::chrono::minutes(1), options);
    EXPECT_TRUE(output) << (output ? "" : output.error().what);
    return output ? output->stdout_text + output->stderr_text : "";
}

class RightsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const auto rules = base::FileRules::make(); !rules) GTEST_SKIP() << rules.error().what;
        secret_ = file("secret", 0600);
    }
    fs::path file(const std::string& name, mode_t mode) const {
        fs::path path = folder_.path() / name;
        EXPECT_TRUE(write_file(path, "content of " + name + "\n"));
        ::chmod(path.c_str(), mode);
        return path;
    }
    Rights rights(const RightsWish& wish) const {
        std::string qemu = "sh";
        auto made = Rights::make(qemu, wish);
        EXPECT_TRUE(made) << made.error().what;
        EXPECT_TRUE(qemu.ends_with("/sh"));
        return std::move(*made);
    }

    base::ScratchDir folder_ = base::ScratchDir::make("ringside-rights-test").value();
    fs::path secret_;
};

TEST_F(RightsTest, OfThisMachineItReadsWhatItIsMadeOfAlone) {
    const std::string said = said_by_qemu(
        rights({}), "cat " + secret_.string() + " /etc/passwd /proc/1/environ; ls /; id -u");
    for (const auto* sign : {"content of", "root:", "PATH="})
        EXPECT_THAT(said, Not(HasSubstr(sign)));
    EXPECT_THAT(said, HasSubstr(::geteuid() == 0 ? "65534\n" : std::to_string(::geteuid())));
}

// Also what only we may read, in a folder that is ours alone.
TEST_F(RightsTest, WhatItIsLentItOpensAnew) {
    Rights with = rights({});
    for (const mode_t mode : {0644, 0600}) {
        const auto name = with.lend(file("lent", mode), folder_.path());
        ASSERT_TRUE(name) << name.error().what;
        EXPECT_EQ(said_by_qemu(with, "cat " + *name + " " + *name),
                  "content of lent\ncontent of lent\n");
        EXPECT_THAT(said_by_qemu(with, "echo bad >" + *name), HasSubstr("ermission denied"));
    }
}

TEST_F(RightsTest, ALentFolderTakesFilesAndNoLinks) {
    const fs::path counts = folder_.path() / "counts";
    fs::create_directory(counts);
    Rights with = rights({});
    const auto name = with.lend_folder(counts);
    ASSERT_TRUE(name);
    said_by_qemu(with,
                 "echo counted >" + *name + "/1.soft; ln -s /etc/shadow " + *name + "/2.soft");
    EXPECT_EQ(read_file(counts / "1.soft").value(), "counted\n");
    EXPECT_FALSE(fs::is_symlink(counts / "2.soft"));
}

TEST_F(RightsTest, WhatIsSharedItReadsWhateverItsModeAndDoesNotWrite) {
    const fs::path shared = folder_.path() / "shared";
    fs::create_directory(shared);
    ::chmod(shared.c_str(), 0700);
    ASSERT_TRUE(write_file(shared / "own", "own\n"));
    ::chmod((shared / "own").c_str(), 0600);
    RightsWish wish;
    wish.shared = {shared};
    const std::string own = (shared / "own").string();
    const std::string said =
        said_by_qemu(rights(wish), "cat " + own + " " + secret_.string() + "; echo bad >" + own +
                                       "; rm " + own + "; ls / >/dev/null && echo listed");
    EXPECT_THAT(said, HasSubstr("own\n"));
    EXPECT_THAT(said, HasSubstr("listed\n"));
    EXPECT_THAT(said, Not(HasSubstr("content of")));
    EXPECT_EQ(read_file(own).value(), "own\n");
}

// A file that stands for the device, of each mode that /dev/kvm has somewhere. Root's own must be
// used by root, who has no capability then.
TEST_F(RightsTest, KvmIsForThoseThatUseItWhoeverOwnsIt) {
    ::chmod(folder_.path().c_str(), 0755);
    constexpr gid_t some_group = 7;
    for (const mode_t mode : {0666, 0660, 0600}) {
        RightsWish wish;
        wish.kvm = file("kvm", mode);
        if (::geteuid() == 0) {
            ASSERT_EQ(::chown(wish.kvm.c_str(), 0, mode == 0660 ? some_group : 0), 0);
        }
        const std::string use =
            "exec 3<>" + wish.kvm + "; echo used; id -u; grep ^CapEff /proc/self/status";
        const std::string said = said_by_qemu(rights(wish), use);
        EXPECT_THAT(said, HasSubstr("used\n")) << std::oct << mode;
        if (::geteuid() == 0) {
            EXPECT_THAT(said, HasSubstr(mode == 0600 ? "\n0\n" : "\n65534\n"));
        }
        EXPECT_THAT(said_by_qemu(rights({}), use), Not(HasSubstr("used")));
    }
}

TEST_F(RightsTest, AQemuThatIsNotThereIsNamed) {
    std::string qemu = "qemu-system-pdp11";
    const auto made = Rights::make(qemu, {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::not_found);
    EXPECT_THAT(made.error().hint, HasSubstr("qemu-system-x86"));
}

}  // namespace
}  // namespace ringside::guest
