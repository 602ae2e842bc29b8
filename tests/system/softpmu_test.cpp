// The soft PMU as a guest's own perf sees it: one boot, which ends in a panic, so that what was
// counted from outside is also shown to be there however a machine ends.
#include <chrono>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "../said_lines.h"
#include "box.h"
#include "soft/count_file.h"
#include "soft/run.h"

namespace ringside::system_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class SoftPmuInGuest : public ::testing::TestWithParam<SoftBox> {
  protected:
    void SetUp() override { REQUIRE_BOX(GetParam()); }

    // The value of the only line called so.
    static std::string text(const std::multimap<std::string, std::string>& said,
                            const std::string& name) {
        EXPECT_EQ(said.count(name), 1u) << name;
        const auto found = said.find(name);
        return found == said.end() ? "" : found->second;
    }
    static std::int64_t number(const std::multimap<std::string, std::string>& said,
                               const std::string& name) {
        return std::atoll(text(said, name).c_str());
    }
};

TEST_P(SoftPmuInGuest, CountsAndSamplesExactlyAndSurvivesTheGuest) {
    const Scratch scratch;
    const std::string counts = scratch.file("counts");
    std::vector<std::string> box{"run", GetParam().kind, "--timeout", "300", "--soft-file", counts};
    const std::string build = GetParam().build;
    for (const std::string& program :
         {build + "/workloads/counted_loop", build + "/tests/system/soft_reads",
          build + "/tests/system/soft_forge",
          std::string(RINGSIDE_SOURCE_DIR "/tests/system/programs/soft_in_guest.sh")}) {
        const auto name = program.substr(program.rfind('/') + 1);
        box.insert(box.end(), {"--put", program + ":/usr/bin/" + name});
    }
    box.insert(box.end(), {"--", "soft_in_guest.sh"});
    const BoxResult result = run_box(box);
    SCOPED_TRACE(result.out + result.err);
    EXPECT_EQ(result.exit_code, 125) << "it panicked";
    EXPECT_THAT(result.err,
                HasSubstr(std::string("ended while the command ran in ") + GetParam().kind));
    const auto said = lines_of(result.out);

    // Two instructions an iteration, to the last one, on any CPU, after unloading and loading.
    const auto many = number(said, "many");
    EXPECT_EQ(many - number(said, "few"), 4'000'000);
    EXPECT_EQ(number(said, "again"), many);
    // Another environment costs the program's start some instructions more or less.
    EXPECT_THAT(text(said, "ringside_stat"), ContainsRegex(",6[01][0-9]{5},,ok,"));

    // Threads apart, by plain loads.
    EXPECT_EQ(number(said, "own"), 2'000'000);
    EXPECT_EQ(number(said, "other"), 4'000'000);
    EXPECT_EQ(number(said, "papi"), 2'000'000);
    EXPECT_GE(number(said, "cpus"), 2'000'000);
    EXPECT_GT(number(said, "read_ns"), 0);
    EXPECT_THAT(text(said, "read_by"), HasSubstr("read from its page"));
    EXPECT_GE(number(said, "CPU1"), 60'000'000);
    EXPECT_LT(number(said, "CPU0"), 60'000'000);

    // Events that take turns know how long they ran, and their scaled value is about the truth.
    EXPECT_EQ(said.count("turn"), 2u);
    for (auto [at, end] = said.equal_range("turn"); at != end; ++at) {
        std::istringstream words(at->second);
        double value = 0;
        double enabled = 0;
        double running = 0;
        words >> value >> enabled >> running;
        EXPECT_GT(running, 0);
        EXPECT_LT(running, enabled);
        EXPECT_LT(value, 80'000'000);
        EXPECT_GT(value * enabled / running, 20'000'000) << at->second;
        EXPECT_LT(value * enabled / running, 320'000'000) << at->second;
    }

    // Every period has its sample, at the instruction itself.
    EXPECT_EQ(number(said, "samples"), many / 10007);
    EXPECT_GE(number(said, "samples_in_loop"), 6'000'000 / 10007 - 1);
    EXPECT_GE(number(said, "delivered"), many / 10007);
    EXPECT_LE(number(said, "lost") * 1000, number(said, "delivered"));
    EXPECT_EQ(number(said, "events_sampled"), 2);
    EXPECT_THAT(text(said, "ringside_record"), ContainsRegex("6[01][0-9] samples .* none lost"));

    EXPECT_EQ(text(said, "short_period"), "refused");
    EXPECT_EQ(text(said, "no_such_event"), "refused");
    EXPECT_EQ(text(said, "unload_while_used"), "refused");
    EXPECT_EQ(text(said, "unload"), "done");
    EXPECT_EQ(said.count("left_behind"), 0u);
    EXPECT_EQ(said.count("complaint"), 0u);
    // Out of tree, and not signed by Debian.
    EXPECT_EQ(number(said, "tainted"), 1 << 12 | 1 << 13);

    // What the guest forged is its own loss: the driver refuses the page, and outside the counts
    // are what they were.
    EXPECT_GT(number(said, "forged"), 0);
    EXPECT_EQ(text(said, "forged_page"), "no_pmu");
    EXPECT_EQ(text(said, "end"), "reached");
    const auto outside = soft::CountFile::read(counts);
    ASSERT_TRUE(outside) << outside.error().what;
    const auto instructions = outside->total(SOFT_INSTRUCTIONS);
    const auto in_kernel = outside->total(SOFT_KERNEL_INSTRUCTIONS);
    EXPECT_GT(instructions - in_kernel, 200'000'000u);
    EXPECT_GT(in_kernel, 100'000'000u);
    EXPECT_LT(instructions, std::uint64_t{1} << 40);
}

// A second plugin in the same machine, with options of its own: the box's QEMU gets one word more.
class SecondPlugin {
  public:
    SecondPlugin(const SoftBox& box, const std::string& options) {
        const std::string other = scratch_.file("other.so");
        fs::copy_file(RINGSIDE_BINARY_DIR "/softpmu/libringside-soft.so", other);
        fs::create_directory(folder());
        const std::string qemu = is_x86(box) ? "qemu-system-x86_64" : "qemu-system-aarch64";
        scratch_.write(qemu, "#!/bin/sh\nexec " + base::find_executable(qemu).value() +
                                 " \"$@\" -plugin " + other + "," + options +
                                 ",folder=" + folder() + "\n");
    }

    static bool is_x86(const SoftBox& box) { return box.arch == std::string("x86"); }
    std::string folder() const { return scratch_.file("counts"); }
    std::string scratch(const std::string& name) const { return scratch_.file(name); }

    std::vector<std::string> box_argv(const std::vector<std::string>& arguments) const {
        auto words = system_test::box_argv(arguments);
        words.insert(words.begin() + 1,
                     "PATH=" + scratch_.path().string() + ":" + std::getenv("PATH"));
        return words;
    }
    // Of its counts; empty if there is none yet.
    std::string file() const {
        const auto files = soft::files_of_run(folder());
        if (!files || files->size() != 1 || !soft::CountFile::read(files->front())) return "";
        return files->front();
    }

  private:
    Scratch scratch_;
};

// The box's own plugin compares all blocks with the one before, the other one, of which only
// instructions are wanted, the kernel's.
TEST_P(SoftPmuInGuest, InstructionsAreTheSameInBothWaysOfFollowing) {
    const SecondPlugin second(GetParam(), "mode=count");
    const bool on_x86 = SecondPlugin::is_x86(GetParam());
    const std::string followed = second.scratch("followed");
    std::vector<std::string> box{"run",         GetParam().kind,
                                 "--timeout",   "300",
                                 "--soft-file", followed,
                                 "--",          "sh",
                                 "-c",          "seq 20000 | sort -r | md5sum"};
    if (on_x86) {
        const std::string program = GetParam().build + "/tests/system/split_locks";
        box.insert(box.begin() + 2, {"--put", program + ":/usr/bin/split_locks"});
        box.back() += "; split_locks";
    }
    const auto output = base::run(second.box_argv(box));
    ASSERT_TRUE(output);
    ASSERT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    EXPECT_THAT(output->stdout_text, HasSubstr(on_x86 ? "\n20000\n" : "\n"));
    const auto light = soft::CountFile::read(second.file());
    const auto full = soft::CountFile::read(followed);
    ASSERT_TRUE(light && full);
    EXPECT_FALSE(light->counts(SOFT_BRANCHES));
    EXPECT_GT(full->total(SOFT_INSTRUCTIONS), 1'000'000'000u);
    // Each vCPU may be stopped between the two.
    constexpr double blocks = 2 * 512;
    for (const auto counter : {SOFT_INSTRUCTIONS, SOFT_KERNEL_INSTRUCTIONS}) {
        EXPECT_NEAR(static_cast<double>(light->total(counter)),
                    static_cast<double>(full->total(counter)), blocks)
            << counter;
    }
}

// QEMU frees what its code called, and must not go on calling it.
TEST_P(SoftPmuInGuest, IsSwitchedOffAndOnWhileAccessesAreCounted) {
    const bool on_x86 = SecondPlugin::is_x86(GetParam());
    const SecondPlugin second(GetParam(),
                              on_x86 ? "mode=full,start=off" : "mode=profile,start=off");
    const std::string said = second.scratch("said");
    auto words = second.box_argv({"run", GetParam().kind, "--timeout", "300", "--", "sh", "-c",
                                  "echo up; md5sum /dev/zero & sleep 6; kill $!"});
    words.insert(words.begin(), {"sh", "-c", "exec \"$@\" > \"$0\"", said});
    auto box = base::spawn(words);
    ASSERT_TRUE(box);
    for (int i = 0; i < 12000 && !(fs::exists(said) && fs::file_size(said) > 0); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_NE(second.file(), "") << "the machine did not start";
    std::uint64_t counted = 0;
    for (int i = 0; i < 10; ++i) {
        const std::string to = i % 2 == 0 ? "on" : "off";
        const auto switched =
            base::run({RINGSIDE_BINARY_DIR "/ringside", "soft", "--switch", to, second.file()});
        ASSERT_TRUE(switched);
        ASSERT_EQ(switched->status.shell_code(), 0) << i << switched->stderr_text;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const auto counts = soft::CountFile::read(second.file());
        ASSERT_TRUE(counts);
        const auto now = counts->total(SOFT_INSTRUCTIONS);
        if (to == "off") {
            EXPECT_GT(now, std::exchange(counted, now)) << i;
        }
    }
    const auto status = box->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(status->shell_code(), 0);
}

// From the first instruction on, while one vCPU tells devices where to be and the other one already
// uses some: there QEMU's answers cannot all be believed.
TEST(SoftPmuOfMachine, AccessesToDevicesAreAllSomeDevices) {
    const SoftBox box = soft_boxes().front();
    REQUIRE_BOX(box);
    const Scratch scratch;
    const std::string counts = scratch.file("counts");
    const BoxResult result = run_box({"run", box.kind, "--share-root", "--soft-count", "memory",
                                      "--soft-file", counts, "--", "true"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto file = soft::CountFile::read(counts);
    ASSERT_TRUE(file) << file.error().what;
    std::uint64_t of_devices = 0;
    std::vector<std::string> names;
    const auto devices = file->devices();
    for (const auto& device : devices) {
        of_devices += device.reads + device.writes;
        names.push_back(device.name);
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"x86 ports", "apic-msi", "ioapic"}));
    EXPECT_THAT(names, ::testing::Contains(HasSubstr("virtio-9p")));
    // A page that was reached once by a vCPU has no name.
    EXPECT_LE(of_devices, file->total(SOFT_IO));
    EXPECT_GE(of_devices + 100, file->total(SOFT_IO));
    EXPECT_GT(file->total(SOFT_LOADS), file->total(SOFT_STORES));
}

INSTANTIATE_TEST_SUITE_P(EachBox, SoftPmuInGuest, ::testing::ValuesIn(soft_boxes()),
                         [](const auto& box) { return std::string(box.param.arch); });

}  // namespace
}  // namespace ringside::system_test
