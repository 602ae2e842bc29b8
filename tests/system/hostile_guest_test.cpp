// Guests that do not keep to what init does: the program that is measured there is root, and may
// write to the ports first.
#include <gmock/gmock.h>

#include "box.h"
#include "guest/cpio.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t regular = 0100644;
constexpr std::uint32_t link = 0120777;

struct Attack {
    const char* what;
    std::vector<guest::CpioEntry> entries;
    const char* refusal;
};

std::string archive_of(const Attack& attack) {
    guest::CpioWriter writer;
    for (const auto& entry : attack.entries) writer.add(entry);
    return writer.finish();
}

class HostileGuest : public ::testing::Test {
  protected:
    // What is to come back lands in `inside`; the rest of the folder must stay as it is.
    BoxResult run(const std::string& command, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"run", "x86-guest", "--get",
                                       "/tmp/run:" + scratch_.file("inside/run")};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--", "sh", "-c", command});
        return run_box(words);
    }
    void SetUp() override {
        REQUIRE_BOX("x86");
        fs::create_directory(scratch_.path() / "inside");
        fs::create_directory(scratch_.path() / "outside");
    }

    Scratch scratch_;
};

TEST_F(HostileGuest, FilesLandWhereTheyWereAskedForOrNowhere) {
    const std::string outside = (scratch_.path() / "outside").string();
    const std::string nul("..\0/outside/x", 13);
    for (const auto& attack : std::vector<Attack>{
             {"through a link",
              {{"run", link, outside}, {"run/x", regular, "bad"}},
              "neither a file"},
             {"up, hidden by NUL",
              {{"run", 040755, ""}, {"run/" + nul, regular, "bad"}},
              "NUL in its name"},
             {"up", {{"run/../../outside/x", regular, "bad"}}, "not a name below"}}) {
        scratch_.write("evil.cpio", archive_of(attack));
        const BoxResult result = run("cat /tmp/evil.cpio >/run/ringside/port/files",
                                     {"--put", scratch_.file("evil.cpio") + ":/tmp/evil.cpio"});
        EXPECT_EQ(result.exit_code, 125) << attack.what;
        EXPECT_THAT(result.err, HasSubstr(attack.refusal)) << attack.what;
        EXPECT_TRUE(fs::is_empty(outside)) << attack.what;
    }
}

TEST_F(HostileGuest, AFloodOfFilesEndsIt) {
    const BoxResult result = run("cat /dev/zero >/run/ringside/port/files", {"--get-limit", "5"});
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.err, HasSubstr("sent more files than it may (5242880 bytes)"));
    EXPECT_THAT(result.err, HasSubstr("--get-limit"));
    EXPECT_TRUE(fs::is_empty(scratch_.path() / "inside"));
}

// Links and devices are left out by init, which says so.
TEST_F(HostileGuest, WhatIsNoFileIsNotSent) {
    const BoxResult result =
        run("mkdir /tmp/run; echo x >/tmp/run/file; ln -s file /tmp/run/link; "
            "mkfifo /tmp/run/pipe; chmod 4777 /tmp/run/file");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("not sent of /tmp/run: 2 links"));
    EXPECT_EQ(scratch_.read("inside/run/file"), "x\n");
    EXPECT_EQ(fs::status(scratch_.path() / "inside/run/file").permissions() & fs::perms::mask,
              static_cast<fs::perms>(0644));
    EXPECT_FALSE(fs::exists(scratch_.path() / "inside/run/link"));
}

}  // namespace
}  // namespace ringside::system_test
