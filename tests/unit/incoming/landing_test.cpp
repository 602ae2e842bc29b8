// What a hostile machine may send, and that nothing but files and folders below the landing comes
// of it.
#include "incoming/landing.h"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../scratch.h"

namespace ringside::incoming {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uint32_t regular = S_IFREG | 0644;
constexpr std::uint32_t folder = S_IFDIR | 0755;

std::string content_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

// Everything below `top`: what it is, its inode and what is in it.
std::map<std::string, std::string> state_of(const fs::path& top) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
        struct stat status {};
        ::lstat(entry.path().c_str(), &status);
        std::string content = S_ISREG(status.st_mode) ? content_of(entry.path()) : "";
        if (S_ISLNK(status.st_mode)) content = fs::read_symlink(entry.path());
        found[entry.path()] =
            std::to_string(status.st_mode) + ' ' + std::to_string(status.st_nlink) + ' ' + content;
    }
    return found;
}

class LandingTest : public ::testing::Test {
  protected:
    void SetUp() override {
        top_ = scratch::file("landing");
        fs::remove_all(top_);
        fs::create_directories(inside());
        fs::create_directories(outside() / "folder");
        std::ofstream(outside() / "victim") << "as it was";
    }
    void TearDown() override { fs::remove_all(top_); }

    fs::path inside() const { return top_ / "inside"; }
    fs::path outside() const { return top_ / "outside"; }

    // The error that ends it, empty if all was taken.
    std::string land(const std::vector<Entry>& entries, const Limits& limits = {}) const {
        auto landing = Landing::in(inside(), "the guest", limits);
        if (!landing) return landing.error().what;
        for (const auto& entry : entries) {
            if (auto done = landing->take(entry); !done) return done.error().what;
        }
        return "";
    }

  private:
    fs::path top_;
};

unsigned mode_of(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
}

std::string repeated(const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

TEST_F(LandingTest, MakesFilesAndFoldersWithModesOfItsOwn) {
    const mode_t before = ::umask(022);
    EXPECT_EQ(land({{"run", S_IFDIR | 07777, ""},
                    {"run/a", S_IFREG | 07777, "A"},
                    {"run/b", S_IFREG | 0, "B"},
                    {"run/deeper", S_IFDIR | 0, ""},
                    {"run/deeper/c", regular, ""}}),
              "");
    ::umask(before);
    EXPECT_EQ(content_of(inside() / "run/a"), "A");
    EXPECT_EQ(mode_of(inside() / "run"), 0755u);
    EXPECT_EQ(mode_of(inside() / "run/a"), 0644u);
    EXPECT_EQ(mode_of(inside() / "run/b"), 0644u);
    EXPECT_EQ(mode_of(inside() / "run/deeper"), 0755u);
    EXPECT_TRUE(fs::exists(inside() / "run/deeper/c"));
}

TEST_F(LandingTest, ReplacesAFileAndKeepsAFolder) {
    EXPECT_EQ(land({{"d", folder, ""}, {"d/x", regular, "first"}}), "");
    EXPECT_EQ(land({{"d", folder, ""}, {"d/x", regular, "2"}, {"d/y", regular, ""}}), "");
    EXPECT_EQ(content_of(inside() / "d/x"), "2");
}

struct Hostile {
    const char* what;
    std::vector<Entry> entries;
    const char* refusal;  // a part of it
};

std::vector<Hostile> hostile_archives() {
    const std::string nul("\0", 1);
    return {
        {"up", {{"../outside/x", regular, "bad"}}, "not a name below"},
        {"up later", {{"d", folder, ""}, {"d/../../outside/x", regular, "bad"}}, "not a name"},
        {"up at the end", {{"d", folder, ""}, {"d/..", folder, ""}}, "not a name"},
        {"only up", {{"..", folder, ""}}, "not a name"},
        {"absolute", {{"/tmp/x", regular, "bad"}}, "not a name"},
        {"no name", {{"", regular, "bad"}}, "not a name"},
        {"itself", {{".", folder, ""}}, "not a name"},
        {"itself below", {{"d", folder, ""}, {"d/./x", regular, "bad"}}, "not a name"},
        {"two slashes", {{"d", folder, ""}, {"d//x", regular, "bad"}}, "not a name"},
        {"a slash at the end", {{"x/", regular, "bad"}}, "not a name"},
        {"up, hidden by NUL", {{".." + nul + "/outside/x", regular, "bad"}}, "NUL"},
        {"a part that ends by NUL", {{"d" + nul + "/x", regular, "bad"}}, "NUL"},
        {"a link", {{"l", S_IFLNK | 0777, "../outside"}}, "neither a file nor a folder"},
        {"a link and a file through it",
         {{"l", S_IFLNK | 0777, "../outside"}, {"l/x", regular, "bad"}},
         "'l': neither"},
        {"a device", {{"d", S_IFCHR | 0666, ""}}, "neither"},
        {"a disk", {{"d", S_IFBLK | 0666, ""}}, "neither"},
        {"a pipe", {{"p", S_IFIFO | 0666, ""}}, "neither"},
        {"a socket", {{"s", S_IFSOCK | 0666, ""}}, "neither"},
        {"no kind at all", {{"n", 0644, ""}}, "neither"},
        {"all kinds at once", {{"n", 0177777, ""}}, "neither"},
        {"below a file", {{"f", regular, "x"}, {"f/x", regular, "bad"}}, "Not a directory"},
        {"a folder where a file is", {{"f", regular, "x"}, {"f", folder, ""}}, "cannot make 'f'"},
        {"a file where a folder is", {{"d", folder, ""}, {"d", regular, "x"}}, "cannot make 'd'"},
        {"below nothing", {{"not/there", regular, "bad"}}, "No such file"},
        {"too deep", {{repeated("d/", 40) + "x", regular, ""}}, "too deep"},
        {"too long", {{repeated("d", 5000), regular, ""}}, "too long"},
        {"a part too long", {{repeated("d", 300), regular, ""}}, "File name too long"},
        {"through a link that was there", {{"planted/x", regular, "bad"}}, "cannot enter"},
        {"a folder where a link was", {{"planted", folder, ""}}, "cannot make 'planted'"},
        {"a name that forges lines",
         {{"a\n\x1b[2Jok: all fine/../x", regular, ""}},
         "a\\n\\x1b[2J"},
        {"a name that is no text", {{"\xff\xfe/../x", regular, ""}}, "'\\xff\\xfe/../x'"},
    };
}

TEST_F(LandingTest, RefusesWhatIsHostileAndNamesIt) {
    for (const auto& hostile : hostile_archives()) {
        SetUp();
        fs::create_directory_symlink(outside() / "folder", inside() / "planted");
        const auto before = state_of(outside());
        const std::string refusal = land(hostile.entries);
        EXPECT_THAT(refusal, HasSubstr(hostile.refusal)) << hostile.what;
        EXPECT_THAT(refusal, HasSubstr("the guest")) << hostile.what;
        EXPECT_EQ(state_of(outside()), before) << hostile.what;
        for (const auto& entry : fs::recursive_directory_iterator(inside())) {
            const bool planted = entry.path().filename() == "planted";
            EXPECT_TRUE(planted || fs::is_regular_file(entry.symlink_status()) ||
                        fs::is_directory(entry.symlink_status()))
                << hostile.what << ": " << entry.path();
        }
    }
}

// The user's own folder may have them; what is behind is not the sender's.
TEST_F(LandingTest, ReplacesLinksAndDoesNotWriteThroughThem) {
    fs::create_symlink(outside() / "victim", inside() / "soft");
    fs::create_hard_link(outside() / "victim", inside() / "hard");
    EXPECT_EQ(land({{"soft", regular, "new"}, {"hard", regular, "new"}}), "");
    EXPECT_EQ(content_of(outside() / "victim"), "as it was");
    EXPECT_EQ(content_of(inside() / "soft"), "new");
    EXPECT_EQ(content_of(inside() / "hard"), "new");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(inside() / "soft")));
}

TEST_F(LandingTest, KeepsWithinItsLimits) {
    Limits limits;
    limits.bytes = 10;
    limits.entries = 3;
    EXPECT_THAT(land({{"a", regular, "12345"}, {"b", regular, "123456"}}, limits),
                HasSubstr("more than 10 bytes"));
    EXPECT_FALSE(fs::exists(inside() / "b"));
    const Entry again{"a", regular, ""};
    EXPECT_THAT(land({again, again, again, again}, limits), HasSubstr("more than 3 files"));
    EXPECT_THAT(land({{"c", regular, "12345"}, {"d", regular, "12345"}}, limits), "");
}

// Somebody who may write into the landing itself exchanges a folder for a link, again and again.
TEST_F(LandingTest, IsNotLedAwayByAFolderThatIsExchanged) {
    fs::create_directory(inside() / "d");
    fs::create_directory_symlink(outside() / "folder", inside() / "link");
    const auto before = state_of(outside());
    std::atomic<bool> done = false;
    std::thread exchanger([&] {
        while (!done) {
            ::syscall(SYS_renameat2, AT_FDCWD, (inside() / "d").c_str(), AT_FDCWD,
                      (inside() / "link").c_str(), 2 /* RENAME_EXCHANGE */);
        }
    });
    int landed = 0;
    int refused = 0;
    for (int i = 0; i < 200'000 && (i < 5000 || landed == 0 || refused == 0); ++i) {
        ++(land({{"d/x", regular, "bad"}}).empty() ? landed : refused);
    }
    done = true;
    exchanger.join();
    EXPECT_EQ(state_of(outside()), before);
    EXPECT_GT(landed, 0);
    EXPECT_GT(refused, 0) << "the exchange was never met: nothing was tried";
}

TEST_F(LandingTest, NeedsAFolderThatIsThere) {
    fs::remove_all(inside());
    EXPECT_THAT(land({}), HasSubstr("cannot open"));
}

// The tests of this file run a second time under a filter that answers openat2 with ENOSYS.
TEST_F(LandingTest, RunsWithTheCallsItIsMeantToRunWith) {
    if (::getenv("RINGSIDE_WITHOUT_OPENAT2") == nullptr)
        GTEST_SKIP() << "openat2 is not taken away";
    EXPECT_EQ(::syscall(SYS_openat2, -1, nullptr, nullptr, 0), -1);
    EXPECT_EQ(errno, ENOSYS);
}

}  // namespace
}  // namespace ringside::incoming
