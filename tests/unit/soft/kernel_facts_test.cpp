#include "soft/kernel_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_btf.h"

namespace ringside::soft {
namespace {

using ::testing::HasSubstr;

constexpr const char* good_symbols =
    "000000000001fb80 A current_task\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81c61500 D linux_banner\n"
    "ffffffff8211bb60 D __per_cpu_offset\n"
    "ffffffffc0000000 t cp_poll\t[8139cp]\n";

// The structs of a kernel, with a `task_struct` that may have no `mm`.
std::string types(bool with_mm = true) {
    MadeBtf btf;
    const auto number = btf.add_int("long");
    const auto tree =
        btf.add_struct("maple_tree", {{"ma_flags", number, 0}, {"ma_root", number, 64}});
    std::vector<MadeBtf::Member> task{
        {"pid", number, 32}, {"tgid", number, 64}, {"comm", number, 96}};
    if (with_mm) task.push_back({"mm", number, 256});
    const auto thread = btf.add_struct("thread_struct", {{"cpu_context", number, 64}});
    task.push_back({"thread", thread, 320});
    btf.add_struct("task_struct", task);
    btf.add_struct("mm_struct", {{"", btf.add_struct("", {{"mm_mt", tree, 64}}), 0}});
    btf.add_struct("vm_area_struct", {{"vm_start", number, 0},
                                      {"vm_end", number, 64},
                                      {"vm_pgoff", number, 128},
                                      {"vm_file", number, 192}});
    const auto path = btf.add_struct("path", {{"dentry", number, 64}});
    btf.add_struct("file", {{"f_path", path, 128}});
    const auto name = btf.add_struct("qstr", {{"name", number, 64}});
    btf.add_struct("dentry", {{"d_parent", number, 192}, {"d_name", name, 256}});
    btf.add_struct("maple_range_64", {{"pivot", number, 64}, {"slot", number, 1024}});
    btf.add_struct("maple_arange_64", {{"pivot", number, 64}, {"slot", number, 640}});
    return btf.bytes();
}

TEST(KernelFacts, AreReadFromSymbolsAndTypes) {
    const auto facts = read_kernel_facts(good_symbols, types(), "");
    ASSERT_TRUE(facts) << facts.error().what;
    EXPECT_EQ(facts->known, 1u);
    EXPECT_EQ(facts->current_task, 0x1fb80u);
    EXPECT_EQ(facts->per_cpu_offsets, 0xffffffff8211bb60u);
    EXPECT_EQ(facts->banner, 0xffffffff81c61500u);
    EXPECT_EQ(facts->switch_code, 0u);
    EXPECT_EQ(facts->task_tid, 4u);
    EXPECT_EQ(facts->task_pid, 8u);
    EXPECT_EQ(facts->task_mm, 32u);
    EXPECT_EQ(facts->mm_root, 16u);
    EXPECT_EQ(facts->file_name, 24u);
    EXPECT_EQ(facts->name_text, 40u);
    EXPECT_EQ(facts->gap_node_slots, 80u);
}

TEST(KernelFacts, KnowTheNameOfLaterKernels) {
    std::string symbols = good_symbols;
    symbols.replace(symbols.find("current_task"), 12, "pcpu_hot");
    const auto facts = read_kernel_facts(symbols, types(), "");
    ASSERT_TRUE(facts) << facts.error().what;
    EXPECT_EQ(facts->current_task, 0x1fb80u);
}

constexpr const char* arm64_symbols =
    "ffff800008010000 T _stext\n"
    "ffff800008017ba0 T cpu_switch_to\n";
constexpr const char* arm64_memory =
    "09000000-09000fff : pl011@9000000\n"
    "40000000-9fffffff : System RAM\n"
    "  40210000-4185ffff : Kernel code\n"
    "  41eb0000-4220ffff : Kernel data\n";

TEST(KernelFacts, SayWhereArm64SwitchesTasks) {
    const auto facts = read_kernel_facts(arm64_symbols, types(), arm64_memory);
    ASSERT_TRUE(facts) << facts.error().what;
    EXPECT_EQ(facts->switch_code, 0xffff800008017ba0u);
    EXPECT_EQ(facts->task_context, 48u);
    EXPECT_EQ(facts->image_base, 0xffff800008010000u - 0x210000u);
    EXPECT_EQ(facts->direct_base, 0xffff000000000000u);
    EXPECT_EQ(facts->image_end, 0xffff80000a010000u);
    for (const auto* memory : {"", "00210000-014fffff : Kernel code\n", "zz-1 : Kernel code\n",
                               "40210000 : Kernel code\n", "2-1 : Kernel code\n"}) {
        EXPECT_FALSE(read_kernel_facts(arm64_symbols, types(), memory)) << memory;
    }
}

TEST(KernelFacts, SayWhatIsMissing) {
    const auto no_member = read_kernel_facts(good_symbols, types(false), "");
    ASSERT_FALSE(no_member);
    EXPECT_THAT(no_member.error().what, HasSubstr("task_struct.mm"));
    const auto no_symbols = read_kernel_facts("", types(), "");
    ASSERT_FALSE(no_symbols);
    EXPECT_THAT(no_symbols.error().what, HasSubstr("task of a CPU"));
    EXPECT_FALSE(read_kernel_facts(good_symbols, "no types", ""));
}

TEST(KernelFacts, RefuseAKernelThatWasMoved) {
    std::string symbols = good_symbols;
    symbols.replace(symbols.find("ffffffff81000000"), 16, "ffffffffb6800000");
    const auto facts = read_kernel_facts(symbols, types(), "");
    ASSERT_FALSE(facts);
    EXPECT_THAT(facts.error().hint, HasSubstr("nokaslr"));
}

}  // namespace
}  // namespace ringside::soft
