// What was there before a recording began: processes, the kernel, tracepoints.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../scratch.h"
#include "record/attributes.h"
#include "record/kernel.h"
#include "record/kernel_symbols.h"
#include "record/off_cpu.h"
#include "record/processes.h"
#include "record/tracing_data.h"
#include "symbols/build_id.h"

namespace ringside::record {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Processes, CodeIsRecordedAsPerfDoes) {
    const auto mapping = proc::parse_mapping(
        "55d0c000-55d0e000 r-xp 00001000 fe:01 1234                       /opt/a b/prog");
    ASSERT_TRUE(mapping);
    const auto map = code_record(17, *mapping);
    EXPECT_EQ(map.pid, 17u);
    EXPECT_EQ(map.tid, 17u);
    EXPECT_EQ(map.start, 0x55d0c000u);
    EXPECT_EQ(map.size, 0x2000u);
    EXPECT_EQ(map.file_offset, 0x1000u);
    EXPECT_EQ(map.file, "/opt/a b/prog");
    EXPECT_EQ(map.major, 0xfeu);
    EXPECT_EQ(map.minor, 1u);
    EXPECT_EQ(map.inode, 1234u);
    EXPECT_EQ(map.protection, unsigned{PROT_READ | PROT_EXEC});
    EXPECT_EQ(map.flags, unsigned{MAP_PRIVATE});
    EXPECT_EQ(code_record(17, *proc::parse_mapping("1000-2000 r-xs 00000000 00:00 0")).file,
              "//anon");
}

TEST(Processes, TellTheirThreadsAndCode) {
    base::ByteWriter out;
    describe_process(base::SysRoot(), ::getpid(), out);
    const std::string text = text_of(out.bytes());
    EXPECT_THAT(text, HasSubstr("unit_tests"));
    EXPECT_THAT(text, HasSubstr("libc"));
    const std::string id = symbols::read_build_id("/proc/self/exe");
    ASSERT_FALSE(id.empty()) << "the linker leaves a build-id";
    EXPECT_THAT(text, HasSubstr(perf::raw_build_id(id)));
}

TEST(Processes, ThatAreGoneSayNothing) {
    base::ByteWriter out;
    describe_process(base::SysRoot(), 1 << 30, out);
    EXPECT_TRUE(out.empty());
}

class Tree : public ::testing::Test {
  protected:
    ~Tree() override { fs::remove_all(root_); }
    void write(const std::string& path, const std::string& content) {
        const fs::path at = root_ + path;
        fs::create_directories(at.parent_path());
        std::ofstream(at, std::ios::binary) << content;
    }

    std::string root_ = scratch::file("ringside_record_tree");
};

TEST_F(Tree, TheKernelsCodeAndModulesAreDescribed) {
    write("/proc/kallsyms",
          "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff82000000 T _etext\n");
    write("/proc/iomem", "00001000-0009ffff : System RAM\n  01000000-01ffffff : Kernel code\n");
    write("/proc/modules", "virtio_net 61440 0 - Live 0xffffffffc0200000\n");
    const std::string note("\4\0\0\0\2\0\0\0\3\0\0\0GNU\0\xab\xcd\0\0", 20);
    write("/sys/kernel/notes", note);
    const auto kernel = read_kernel_image(base::SysRoot(root_));
    EXPECT_EQ(kernel.start, 0xffffffff81000000u);
    EXPECT_EQ(kernel.size, 0x1000000u);
    EXPECT_EQ(kernel.build_id, "abcd");
    ASSERT_EQ(kernel.modules.size(), 1u);
    EXPECT_EQ(kernel.modules[0].file, "[virtio_net]");
    base::ByteWriter out;
    describe_kernel(kernel, true, out);
    EXPECT_THAT(text_of(out.bytes()), HasSubstr("[kernel.kallsyms]_text"));
    EXPECT_THAT(text_of(out.bytes()), HasSubstr("[guest.kernel.kallsyms]_text"));
}

// Without rights the ranges of memory read as 0: then the symbols tell.
TEST_F(Tree, TheEndOfTheCodeIsFoundWithoutIomem) {
    write("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff82000000 T _etext\n");
    write("/proc/iomem", "  00000000-00000000 : Kernel code\n");
    EXPECT_EQ(read_kernel_image(base::SysRoot(root_)).size, 0x1000000u);
}

TEST_F(Tree, HiddenAddressesAreNotTakenForAKernel) {
    write("/proc/kallsyms", "0000000000000000 T _text\n");
    const auto kernel = read_kernel_image(base::SysRoot(root_));
    base::ByteWriter out;
    describe_kernel(kernel, false, out);
    EXPECT_TRUE(out.empty());
}

TEST_F(Tree, KernelSymbolsAreKeptUntilAModuleComes) {
    write("/proc/kallsyms", "ffffffff81000000 T _text\n");
    write("/proc/sys/kernel/random/boot_id", "boot\n");
    write("/proc/modules", "");
    const base::SysRoot root(root_);
    const std::string cache = root_ + "/cache";
    const auto first = compressed_kallsyms(root, cache);
    ASSERT_TRUE(first);
    write("/proc/kallsyms", "ffffffff81000000 T changed\n");
    EXPECT_EQ(*compressed_kallsyms(root, cache), *first);
    write("/proc/modules", "more 1 0 - Live 0xffffffffc0200000\n");
    EXPECT_NE(*compressed_kallsyms(root, cache), *first);
    EXPECT_EQ(std::distance(fs::directory_iterator(cache), fs::directory_iterator()), 1);
}

TEST_F(Tree, TracepointsBringTheirFormats) {
    write("/sys/kernel/tracing/events/sched/sched_switch/format", "name: sched_switch\n");
    SampledEvent event;
    event.event.name = "sched:sched_switch:u";
    event.event.kind = model::EventKind::tracepoint;
    const auto data = tracing_data(base::SysRoot(root_), {event});
    EXPECT_THAT(text_of(data), HasSubstr(std::string("sched\0\1\0\0\0", 10)));
    EXPECT_THAT(text_of(data), HasSubstr("name: sched_switch\n"));
    EXPECT_TRUE(tracing_data(base::SysRoot(root_), {}).empty());
}

TEST(Attributes, FollowTheSettings) {
    model::Event cycles;
    cycles.name = "cycles";
    cycles.code = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0};
    Settings settings;
    settings.frequency_hz = 99;
    settings.call_graph = CallGraph::dwarf;
    auto attr = sampling_attributes(cycles, settings);
    EXPECT_EQ(attr.freq, 1u);
    EXPECT_EQ(attr.sample_freq, 99u);
    EXPECT_EQ(attr.sample_stack_user, 8192u);
    EXPECT_EQ(attr.exclude_callchain_user, 1u);
    EXPECT_EQ(attr.exclude_guest, 1u);
    settings.guest = true;
    settings.period = 1000;
    attr = sampling_attributes(cycles, settings);
    EXPECT_EQ(attr.exclude_guest, 0u);
    EXPECT_EQ(attr.freq, 0u);
    EXPECT_EQ(attr.sample_period, 1000u);
}

TEST(Attributes, TheKernelIsGivenUpOnlyForWantOfRights) {
    Settings settings;
    auto attr = sampling_attributes(model::Event{}, settings);
    std::string loss;
    EXPECT_TRUE(make_modest(attr, EINVAL, false, loss));
    EXPECT_EQ(attr.exclude_kernel, 0u);
    EXPECT_EQ(loss, "");
    EXPECT_TRUE(make_modest(attr, EACCES, false, loss));
    EXPECT_EQ(attr.exclude_kernel, 1u);
    EXPECT_THAT(loss, HasSubstr("user mode only"));
    while (make_modest(attr, EINVAL, false, loss)) {
    }
    EXPECT_FALSE(make_modest(attr, EINVAL, false, loss)) << "it ends";
}

TEST(OffCpu, KeepsReasonsApart) {
    bpf::OffCpuProfile profile;
    profile.sums.push_back({7, 8, bpf::OffCpuKind::io, {0x10}, {0xffff0000}, 500, 2});
    profile.sums.push_back({7, 8, bpf::OffCpuKind::stolen, {}, {}, 30, 1});
    const auto waits = sum_waits(profile);
    ASSERT_EQ(waits.size(), off_cpu_events().size());
    EXPECT_EQ(waits[1].total_ns, 500u);
    EXPECT_EQ(waits[4].name, "stolen");
    EXPECT_EQ(waits[4].total_ns, 30u);
    base::ByteWriter out;
    encode_off_cpu(profile, 99, out);
    const perf::SampleLayout layout(off_cpu_events()[1].attributes);
    const auto body = out.bytes().subspan(sizeof(perf_event_header));
    const auto sample =
        perf::decode_full_sample(body, PERF_RECORD_MISC_KERNEL, layout, perf::ByteOrder::same);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->id, off_cpu_events()[1].ids[0]);
    EXPECT_EQ(sample->period, 500u);
    EXPECT_EQ(sample->ip, 0xffff0000u);
    EXPECT_EQ(sample->chain.size(), 4u);
}

}  // namespace
}  // namespace ringside::record
