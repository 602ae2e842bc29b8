// The soft PMU as a guest's own perf sees it: one boot, which ends in a panic, so that what was
// counted from outside is also shown to be there however a machine ends.
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "../said_lines.h"
#include "box.h"
#include "soft/count_file.h"
#include "soft/run.h"

namespace ringside::system_test {
namespace {

using ::testing::AnyOf;
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

    // The device left while events were open: they keep what they counted, and end in order.
    EXPECT_GE(number(said, "removed"), 2'000'000);
    EXPECT_EQ(text(said, "forks"), "yes") << "what is measured goes on";
    // It had not been told yet that there is no page, or went on by system calls.
    EXPECT_THAT(number(said, "reader_ended"), AnyOf(128 + SIGBUS, 128 + SIGTERM));
    EXPECT_EQ(text(said, "removed_file"), "gone");
    EXPECT_EQ(text(said, "event_of_no_device"), "refused");
    EXPECT_EQ(text(said, "unload_with_old_events"), "refused");
    EXPECT_EQ(text(said, "device_beside_old_events"), "refused");
    EXPECT_GT(number(said, "cut_off_samples"), 0);
    EXPECT_EQ(number(said, "replaced"), many);
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

// QEMU may open nothing but what its box lends it, and a test can lend it nothing yet.
constexpr const char* no_more_plugins =
    "QEMU's rights keep it from plugins and folders that a test adds";

// More plugins in the same machine, each with options of its own.
class MorePlugins {
  public:
    MorePlugins(const SoftBox& box, const std::vector<std::string>& options) {
        const std::string qemu = is_x86(box) ? "qemu-system-x86_64" : "qemu-system-aarch64";
        std::string script = "#!/bin/sh\nexec " + base::find_executable(qemu).value() + " \"$@\"";
        for (const auto& option : options) {
            const std::string number = std::to_string(count_++);
            const std::string plugin = scratch("plugin" + number + ".so");
            fs::copy_file(RINGSIDE_BINARY_DIR "/softpmu/libringside-soft.so", plugin);
            fs::create_directory(scratch("counts" + number));
            script += " -plugin " + plugin + "," + option + ",folder=" + scratch("counts" + number);
        }
        scratch_.write(qemu, script + "\n");
    }

    static bool is_x86(const SoftBox& box) { return box.arch == std::string("x86"); }
    std::string scratch(const std::string& name) const { return scratch_.file(name); }

    std::vector<std::string> box_argv(const std::vector<std::string>& arguments) const {
        auto words = system_test::box_argv(arguments);
        words.insert(words.begin() + 1,
                     "PATH=" + scratch_.path().string() + ":" + std::getenv("PATH"));
        return words;
    }
    // Of a plugin's counts; empty if there is none yet.
    std::string file(int plugin = 0) const {
        const auto files = soft::files_of_run(scratch("counts" + std::to_string(plugin)));
        if (!files || files->size() != 1 || !soft::CountFile::read(files->front())) return "";
        return files->front();
    }

  private:
    Scratch scratch_;
    int count_ = 0;
};

// What samples branches compares all blocks with the one before them; the box's own plugin and one
// of which only instructions are wanted do so with the kernel's.
TEST_P(SoftPmuInGuest, CountsAreTheSameInAllWaysOfFollowing) {
    GTEST_SKIP() << no_more_plugins;
    const MorePlugins more(GetParam(), {"mode=count", "mode=count,sampled=2,period=1000000007"});
    const bool on_x86 = MorePlugins::is_x86(GetParam());
    const std::string own_file = more.scratch("own");
    std::vector<std::string> box{"run",         GetParam().kind,
                                 "--timeout",   "300",
                                 "--soft-file", own_file,
                                 "--",          "sh",
                                 "-c",          "seq 20000 | sort -r | md5sum"};
    if (on_x86) {
        const std::string program = GetParam().build + "/tests/system/split_locks";
        box.insert(box.begin() + 2, {"--put", program + ":/usr/bin/split_locks"});
        box.back() += "; split_locks";
    }
    const auto output = base::run(more.box_argv(box));
    ASSERT_TRUE(output);
    ASSERT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    EXPECT_THAT(output->stdout_text, HasSubstr(on_x86 ? "  -\n20000\n" : "  -\n"));
    const auto own = soft::CountFile::read(own_file);
    const auto light = soft::CountFile::read(more.file(0));
    const auto all = soft::CountFile::read(more.file(1));
    ASSERT_TRUE(own && light && all);
    EXPECT_GT(all->total(SOFT_INSTRUCTIONS), 1'000'000'000u);
    // Each of two vCPUs may be stopped between them, in a block of up to 512 instructions.
    const auto expect_same = [&](const soft::CountFile& counts, unsigned counter) {
        EXPECT_NEAR(static_cast<double>(counts.total(counter)),
                    static_cast<double>(all->total(counter)), 1024)
            << counter;
    };
    for (const auto counter : {SOFT_INSTRUCTIONS, SOFT_KERNEL_INSTRUCTIONS}) {
        expect_same(*light, counter);
        expect_same(*own, counter);
    }
    EXPECT_FALSE(light->counts(SOFT_BRANCHES));
    for (const auto counter : {SOFT_BRANCHES, SOFT_TAKEN_BRANCHES}) expect_same(*own, counter);
}

// QEMU frees what its code called, and must not go on calling it.
TEST_P(SoftPmuInGuest, IsSwitchedOffAndOnWhileAccessesAreCounted) {
    GTEST_SKIP() << no_more_plugins;
    const bool on_x86 = MorePlugins::is_x86(GetParam());
    const MorePlugins second(GetParam(),
                             {on_x86 ? "mode=full,start=off" : "mode=profile,start=off"});
    const std::string said = second.scratch("said");
    auto words = second.box_argv({"run", GetParam().kind, "--timeout", "300", "--", "sh", "-c",
                                  "echo up; md5sum /dev/zero"});
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
    box->send_signal(SIGINT);
    const auto status = box->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(status->shell_code(), 128 + SIGINT) << "it ran until now";
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
