// A program that runs with more rights than its user has leaves no file where that user says.
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "abi/io_table.h"
#include "base/process.h"
#include "base/scratch_dir.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

class Privileged : public ::testing::Test {
  protected:
    // How many tables it leaves, being of this mode and of user `nobody`.
    std::size_t tables(mode_t mode) const {
        const fs::path program = folder_.path() / "program";
        fs::copy_file(IO_PRIVILEGED, program, fs::copy_options::overwrite_existing);
        EXPECT_EQ(::chown(program.c_str(), 65534, 65534), 0);
        EXPECT_EQ(::chmod(program.c_str(), mode), 0);
        const fs::path wanted = folder_.path() / "wanted";
        fs::remove_all(wanted);
        fs::create_directory(wanted);
        ::chmod(wanted.c_str(), 01777);
        ::chmod(folder_.path().c_str(), 0755);
        base::SpawnOptions options;
        options.extra_env = {IO_DIR_VARIABLE "=" + wanted.string()};
        const auto output = base::run({program.string()}, std::chrono::minutes(1), options);
        EXPECT_TRUE(output && output->stdout_text == "ran\n");
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(wanted), fs::directory_iterator()));
    }

    base::ScratchDir folder_ = base::ScratchDir::make("ringside-privileged-test").value();
};

TEST_F(Privileged, ProgramsLeaveNoTable) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root makes programs of other users";
    struct statvfs system {};
    ASSERT_EQ(::statvfs(folder_.path().c_str(), &system), 0);
    if ((system.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << "no set-user-ID programs in /tmp";
    EXPECT_EQ(tables(0755), 1u);
    EXPECT_EQ(tables(04755), 0u);
}

}  // namespace
}  // namespace ringside
