// What of this machine a guest is lent, and what never.
#include "guest/shared_files.h"

#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../scratch.h"

namespace ringside::guest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Shared : public ::testing::Test {
  protected:
    void SetUp() override {
        root_ = scratch::file(::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(root_);
        root_ = fs::canonical(root_);
    }
    std::string make(const std::string& name, mode_t mode = 0644) const {
        const fs::path path = root_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << "x";
        ::chmod(path.c_str(), mode);
        return path;
    }
    // Of the test's files.
    std::vector<fs::path> shared(ShareWish wish) const {
        if (wish.directory.empty()) wish.directory = "/";
        std::vector<fs::path> ours;
        for (const auto& path :
             shared_files(wish, Homes({root_ / "home/me", root_ / "home/you"}))) {
            if (path.string().starts_with(root_.string())) ours.push_back(path);
        }
        return ours;
    }
    bool sees(const ShareWish& wish, const std::string& file) const {
        for (fs::path path = file; path != "/"; path = path.parent_path()) {
            const auto all = shared(wish);
            if (std::find(all.begin(), all.end(), path) != all.end()) return true;
        }
        return false;
    }

    fs::path root_;
};

TEST_F(Shared, OfWhatIsPublicOnlyWhatAllMayRead) {
    make("etc/passwd");
    make("etc/shadow", 0640);
    make("etc/ssl/certs/ca.pem");
    make("etc/ssl/private/key.pem");
    ::chmod((root_ / "etc/ssl/private").c_str(), 0710);
    make("etc/apt/a/b");
    fs::create_symlink("/etc/shadow", root_ / "etc/apt/link");
    EXPECT_THAT(
        public_files(root_ / "etc"),
        UnorderedElementsAre(root_ / "etc/passwd", root_ / "etc/ssl/certs", root_ / "etc/apt"));
    EXPECT_THAT(public_files(root_ / "etc/apt"), ElementsAre(root_ / "etc/apt"));
}

TEST_F(Shared, OfThisMachineNoKeyAndNoShadow) {
    if (!fs::exists("/etc/shadow")) GTEST_SKIP() << "/etc of this machine has no secret";
    const auto paths = shared_files({{}, "/", {}}, Homes::of_this_machine());
    EXPECT_THAT(paths, Contains(fs::path("/etc/passwd")));
    for (const auto* secret : {"/", "/etc", "/etc/shadow", "/etc/gshadow", "/root", "/home",
                               "/proc", "/run", "/dev", "/sys", "/tmp", "/var"}) {
        EXPECT_THAT(paths, Not(Contains(fs::path(secret))));
    }
}

TEST_F(Shared, AWorkingDirectoryWhatverItsMode) {
    make("home/me/x/prog", 0700);
    ::chmod((root_ / "home/me/x").c_str(), 0700);
    EXPECT_THAT(shared({{}, root_ / "home/me/x", {}}), ElementsAre(root_ / "home/me/x"));
}

TEST_F(Shared, OfAHomeNoHiddenFileAndOfHomesNone) {
    make("home/me/.ssh/id");
    make("home/me/.netrc");
    make("home/me/prog", 0755);
    make("home/me/lib/x.so");
    make("home/you/prog", 0755);
    make("home/note");
    EXPECT_THAT(shared({{}, root_ / "home/me", {}}),
                UnorderedElementsAre(root_ / "home/me/prog", root_ / "home/me/lib"));
    EXPECT_THAT(shared({{}, root_ / "home", {}}), ElementsAre(root_ / "home/note"));
    EXPECT_THAT(shared({{}, "/", {}}), IsEmpty());
    EXPECT_THAT(shared({{root_ / "home"}, "/", {}}), ElementsAre(root_ / "home/note"));
}

TEST_F(Shared, OfWhereAllPutFilesOnlyOurs) {
    make("tmp/ours");
    const auto others = make("tmp/others");
    ::chmod((root_ / "tmp").c_str(), 01777);
    if (::chown(others.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root has other's files";
    EXPECT_THAT(shared({{}, root_ / "tmp", {}}), ElementsAre(root_ / "tmp/ours"));
}

TEST_F(Shared, ProgramsWithTheirFolderAndFilesThatTheCommandNames) {
    const auto program = make("opt/p/bin/prog", 0755);
    make("opt/p/lib/libp.so");
    make("opt/p/etc/key");
    const auto data = make("data/in");
    const auto other = make("data/other");
    const ShareWish wish{{"measure", "--", program, data, "sh -c " + data}, "/", {}};
    EXPECT_TRUE(sees(wish, program));
    EXPECT_TRUE(sees(wish, root_ / "opt/p/lib/libp.so"));
    EXPECT_FALSE(sees(wish, root_ / "opt/p/etc/key"));
    EXPECT_TRUE(sees(wish, data));
    EXPECT_FALSE(sees(wish, other));
}

TEST_F(Shared, FilesAreNamedFromTheWorkingDirectory) {
    make("home/me/x/prog", 0755);
    make("home/me/y/in");
    EXPECT_TRUE(sees({{"./prog", "../y/in"}, root_ / "home/me/x", {}}, root_ / "home/me/y/in"));
}

TEST_F(Shared, AllOfWhatWasAskedFor) {
    make("home/you/.ssh/id");
    EXPECT_THAT(shared({{}, "/", {root_ / "home/you"}}), ElementsAre(root_ / "home/you"));
    EXPECT_THAT(shared_files({{}, "/", {"/"}}, Homes({})), Contains(fs::path("/")));
}

TEST(SharedVariables, LeaveSecretsOut) {
    const auto shared = shared_variables(
        {"PATH=/bin", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=S3CRET", "GITHUB_TOKEN=S3CRET", "X=a=b"},
        {"X"});
    EXPECT_THAT(shared.kept, ElementsAre("PATH=/bin", "LC_ALL=C", "X=a=b"));
    EXPECT_THAT(shared.left_out, ElementsAre("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"));
    EXPECT_THAT(shared_variables({"A=1", "B=2"}, {"*"}).left_out, IsEmpty());
}

}  // namespace
}  // namespace ringside::guest
