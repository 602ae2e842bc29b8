// A machine at the other end of ssh that sends what it likes for a run, and folders of runs that
// somebody else made.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../scratch.h"
#include "run.h"

namespace ringside::hostile {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string slurp(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// `ringside compare` against a side whose tar is `attack`, a shell script that prints an archive;
// `$run` is the folder that it was asked for, with a real run in it.
class HostileSide : public ::testing::Test {
  protected:
    void SetUp() override {
        top_ = scratch::file("side");
        fs::remove_all(top_);
        fs::create_directories(top_ / "bin");
        fs::create_directories(top_ / "home");
        fs::create_directories(top_ / "outside");
        std::ofstream(top_ / "secret") << "a local secret";
    }
    void TearDown() override { fs::remove_all(top_); }

    Ended compare(const std::string& attack) const {
        fs::remove_all(top_ / "kept");
        std::ofstream(top_ / "bin/ssh")
            << "#!/bin/sh\n"
               "while [ $# -gt 1 ]; do shift; done\n"
               "case $1 in\n"
               "*tar*) folder=$(echo \"$1\" | sed \"s/.*'-C' '\\([^']*\\)'.*/\\1/\")\n"
               "cd \"$folder\" || exit 1\n"
            << attack << "\n;;\n*) exec sh -c \"$1\" ;;\nesac\n";
        fs::permissions(top_ / "bin/ssh", fs::perms::owner_all);
        Ended ended =
            run_bounded({"compare", "--no-trace", "-r", "1", "--keep", (top_ / "kept").string(),
                         "--guest", "ssh:me@there", "--", "true"},
                        {"PATH=" + (top_ / "bin").string() + ":/usr/sbin:/usr/bin:/sbin:/bin",
                         "HOME=" + (top_ / "home").string(), "TMPDIR=" + top_.string()});
        // What it says of a side that broke off is in its report.
        ended.err += ended.out;
        return ended;
    }
    void expect_only_files() const {
        EXPECT_TRUE(fs::is_empty(top_ / "outside"));
        EXPECT_EQ(slurp(top_ / "secret"), "a local secret");
        if (!fs::exists(top_ / "kept")) return;
        for (const auto& entry : fs::recursive_directory_iterator(top_ / "kept")) {
            struct stat status {};
            ASSERT_EQ(::lstat(entry.path().c_str(), &status), 0);
            EXPECT_TRUE(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) << entry.path();
            EXPECT_EQ(status.st_mode & 07022, 0u) << entry.path();
        }
    }

    fs::path top_;
};

TEST_F(HostileSide, SendsAnHonestRun) {
    const Ended ended = compare("exec tar -cf - run");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    expect_only_files();
}

TEST_F(HostileSide, SendsProgramsThatBecomeRoot) {
    const Ended ended = compare(
        "cp /bin/true run/1/shell; chmod 6755 run/1/shell; chmod 1777 run/1; exec tar -cf - run");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    expect_only_files();
}

TEST_F(HostileSide, SendsLinksToWhatIsHere) {
    const Ended ended =
        compare("ln -s " + (top_ / "secret").string() + " run/1/stdout2; exec tar -cf - run");
    EXPECT_THAT(ended.err, HasSubstr("1/stdout2': neither a file nor a folder"));
    expect_only_files();
}

TEST_F(HostileSide, SendsALinkAndAFileThroughIt) {
    const std::string outside = (top_ / "outside").string();
    const Ended ended = compare("ln -s " + outside +
                                " run/1/l; tar -cf a.tar run; rm run/1/l; mkdir run/1/l; "
                                "echo bad >run/1/l/x; tar -rf a.tar run/1/l/x; cat a.tar");
    EXPECT_THAT(ended.err, HasSubstr("1/l': neither a file nor a folder"));
    expect_only_files();
}

TEST_F(HostileSide, SendsAFolderThatIsALink) {
    const std::string outside = (top_ / "outside").string();
    const Ended ended = compare("mv run/1 kept; ln -s " + outside + " run/1; exec tar -cf - run");
    EXPECT_THAT(ended.err, HasSubstr("neither a file nor a folder"));
    expect_only_files();
}

TEST_F(HostileSide, SendsNamesThatLeadUp) {
    const Ended ended = compare(
        "mkdir -p run/1/a; echo bad >run/1/a/x; "
        "exec tar -P --transform 's|run/1/a/x|run/1/../../../outside/x|' -cf - run");
    EXPECT_THAT(ended.err, HasSubstr("not a name below"));
    expect_only_files();
}

TEST_F(HostileSide, SendsDevices) {
    const Ended ended = compare("mknod run/1/null c 1 3 || mkfifo run/1/null; exec tar -cf - run");
    EXPECT_THAT(ended.err, HasSubstr("neither a file nor a folder"));
    expect_only_files();
}

TEST_F(HostileSide, SendsASecondNameForALocalFile) {
    const Ended ended = compare("echo x >run/1/a; ln run/1/a run/1/b; exec tar -cf - run");
    EXPECT_THAT(ended.err, HasSubstr("neither a file nor a folder"));
    expect_only_files();
}

TEST_F(HostileSide, SendsNoArchive) {
    EXPECT_THAT(compare("echo this is not tar").err, HasSubstr("broken tar archive"));
    EXPECT_THAT(compare(":").err, HasSubstr("broken tar archive"));
    EXPECT_THAT(compare("tar -cf - run | head -c 1000").err, HasSubstr("broken tar archive"));
    expect_only_files();
}

TEST_F(HostileSide, SendsJsonThatLeadsDeep) {
    const Ended ended =
        compare("head -c 400000 /dev/zero | tr '\\0' '[' >run/side.json; exec tar -cf - run");
    EXPECT_EQ(ended.signal, 0);
    EXPECT_THAT(ended.err, HasSubstr("side.json: nested too deep"));
    const Ended stat = compare(
        "{ printf '{\"schema\":\"ringside.stat/1\",\"a\":'; head -c 400000 /dev/zero | tr '\\0' "
        "'['; } "
        ">run/1/stat.json; exec tar -cf - run");
    EXPECT_EQ(stat.signal, 0);
    EXPECT_THAT(stat.err, HasSubstr("stat.json: nested too deep"));
    expect_only_files();
}

TEST_F(HostileSide, SendsJsonOfOtherTypes) {
    for (const char* json :
         {"[]", "0", "\"text\"", "{\"schema\":7}", "{\"schema\":\"ringside.run/1\",\"runs\":1e99}",
          "{\"schema\":\"ringside.run/1\",\"runs\":2000000000,\"notes\":{}}"}) {
        const Ended ended =
            compare("echo '" + std::string(json) + "' >run/side.json; exec tar -cf - run");
        EXPECT_EQ(ended.signal, 0) << json;
        EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 125) << json << ended.err;
    }
    for (const char* file : {"stat.json", "report.json", "stacks.json", "intervals.jsonl"}) {
        for (const char* json : {"{\"schema\":\"ringside.stat/1\",\"events\":7,\"time\":[]}",
                                 "{\"schema\":\"ringside.report/1\",\"events\":[7]}",
                                 "{\"schema\":\"ringside.stacks/1\",\"trees\":[{}]}", ""}) {
            const Ended ended = compare("printf '%s' '" + std::string(json) + "' >run/1/" + file +
                                        "; exec tar -cf - run");
            EXPECT_EQ(ended.signal, 0) << file << json;
        }
    }
    expect_only_files();
}

// How many runs there are, and what kind of machine it is, is for us to say.
TEST_F(HostileSide, SaysWhatOnlyWeKnow) {
    const Ended ended = compare(
        "echo '{\"schema\":\"ringside.place/1\",\"kind\":\"native\",\"runs\":9}' >run/place.json; "
        "exec tar -cf - run");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::string place = slurp(top_ / "kept/2-vm/place.json");
    EXPECT_THAT(place, HasSubstr("\"runs\": 1"));
    EXPECT_THAT(place, Not(HasSubstr("native")));
    expect_only_files();
}

TEST_F(HostileSide, SaysWhatATerminalWouldObey) {
    const Ended ended = compare(
        "sed -i 's/\"name\": \"vm\"/\"name\": \"\\\\u001b[2J\\\\nroot\"/' run/side.json; exec tar "
        "-cf - run");
    expect_harmless(ended, "compare");
    expect_only_files();
}

}  // namespace
}  // namespace ringside::hostile
