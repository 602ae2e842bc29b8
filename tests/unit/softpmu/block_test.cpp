#include "softpmu/block.h"

#include <gtest/gtest.h>

namespace ringside::softpmu {
namespace {

using Bytes = std::vector<std::uint8_t>;

Ending x86(const Bytes& bytes) {
    return ending_of(Guest::x86_64, bytes, 0x1000);
}
Ending arm(std::uint32_t word) {
    const Bytes bytes{std::uint8_t(word), std::uint8_t(word >> 8), std::uint8_t(word >> 16),
                      std::uint8_t(word >> 24)};
    return ending_of(Guest::arm64, bytes, 0x1000);
}

struct X86Case {
    Bytes bytes;
    End end;
    std::uint64_t target;
};
class X86Ending : public ::testing::TestWithParam<X86Case> {};

TEST_P(X86Ending, IsKnownFromTheInstruction) {
    const auto ending = x86(GetParam().bytes);
    EXPECT_EQ(ending.kind, GetParam().end);
    EXPECT_EQ(ending.target, GetParam().target);
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, X86Ending,
    ::testing::Values(X86Case{{0x75, 0xfe}, End::conditional, 0x1000},              // jne .
                      X86Case{{0x0f, 0x84, 0, 1, 0, 0}, End::conditional, 0x1106},  // je
                      X86Case{{0x0f, 0x8f, 0, 0xff, 0xff, 0xff}, End::conditional, 0xf06},
                      X86Case{{0xe2, 0x10}, End::conditional, 0x1012},               // loop
                      X86Case{{0x2e, 0x74, 0x10}, End::conditional, 0x1013},         // hint
                      X86Case{{0xe8, 0, 0, 0, 0}, End::direct, 0x1005},              // call
                      X86Case{{0xf2, 0xe8, 1, 0, 0, 0}, End::direct, 0x1007},        // bnd
                      X86Case{{0xe9, 0xfb, 0xff, 0xff, 0xff}, End::direct, 0x1000},  // jmp
                      X86Case{{0xeb, 0x7f}, End::direct, 0x1081},
                      X86Case{{0xc3}, End::indirect, 0},  // ret
                      X86Case{{0xf3, 0xc3}, End::indirect, 0},
                      X86Case{{0xff, 0xe0}, End::indirect, 0},          // jmp rax
                      X86Case{{0x41, 0xff, 0xd4}, End::indirect, 0},    // call r12
                      X86Case{{0xff, 0xc0}, End::none, 0},              // inc
                      X86Case{{0xff, 0xf0}, End::none, 0},              // push
                      X86Case{{0x0f, 0x05}, End::system, 0},            // syscall
                      X86Case{{0x48, 0xcf}, End::system, 0},            // iretq
                      X86Case{{0xf3, 0xa4}, End::repeated, 0},          // rep movsb
                      X86Case{{0xf3, 0x48, 0xab}, End::repeated, 0},    // rep stosq
                      X86Case{{0xf2, 0xae}, End::repeated, 0},          // repne scasb
                      X86Case{{0xa4}, End::none, 0},                    // movsb
                      X86Case{{0xf3, 0x0f, 0x10, 0xc1}, End::none, 0},  // movss
                      X86Case{{0x90}, End::none, 0}, X86Case{{0x66}, End::none, 0},
                      X86Case{{}, End::none, 0}, X86Case{{0x0f}, End::none, 0},
                      X86Case{{0xff}, End::none, 0}));

// QEMU shows no more of an instruction than what lies before the end of a page.
TEST(X86CutOff, EndsNoBlock) {
    const Bytes instructions[] = {
        {0x75, 0xfe},                    // jne
        {0x0f, 0x84, 0, 1, 0, 0},        // je
        {0xe8, 0, 0, 0, 0},              // call
        {0xc2, 8, 0},                    // ret 8
        {0xcd, 0x80},                    // int
        {0x0f, 0x05},                    // syscall
        {0x41, 0xff, 0xd4},              // call r12
        {0xff, 0x15, 0, 0, 0, 0},        // call [rip+0]
        {0xff, 0x50, 8},                 // call [rax+8]
        {0xff, 0x93, 0, 1, 0, 0},        // call [rbx+256]
        {0xff, 0x24, 0xc5, 0, 0, 0, 0},  // jmp [8*rax+0]
        {0x41, 0xff, 0x54, 0xc5, 8},     // call [r13+8*rax+8]
        {0xff, 0x94, 0xc3, 0, 1, 0, 0},  // call [rbx+8*rax+256]
        {0xff, 0x24, 0xc3},              // jmp [rbx+8*rax]
    };
    for (const auto& whole : instructions) {
        EXPECT_NE(x86(whole).kind, End::none) << ::testing::PrintToString(whole);
        for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
            EXPECT_EQ(x86(cut).kind, End::none) << ::testing::PrintToString(cut);
        }
    }
}

TEST(Arm64Ending, IsKnownFromTheInstruction) {
    EXPECT_EQ(arm(0x14000002).kind, End::direct);  // b
    EXPECT_EQ(arm(0x14000002).target, 0x1008u);
    EXPECT_EQ(arm(0x97ffffff).kind, End::direct);  // bl
    EXPECT_EQ(arm(0x97ffffff).target, 0xffcu);
    EXPECT_EQ(arm(0x54ffffe1).kind, End::conditional);  // b.ne
    EXPECT_EQ(arm(0x54ffffe1).target, 0xffcu);
    EXPECT_EQ(arm(0xb4000040).kind, End::conditional);  // cbz x0
    EXPECT_EQ(arm(0xb4000040).target, 0x1008u);
    EXPECT_EQ(arm(0x36000040).kind, End::conditional);  // tbz w0, #0
    EXPECT_EQ(arm(0x3707ffe0).target, 0xffcu);          // tbnz w0, #0
    EXPECT_EQ(arm(0xd65f03c0).kind, End::indirect);     // ret
    EXPECT_EQ(arm(0xd63f0000).kind, End::indirect);     // blr x0
    EXPECT_EQ(arm(0xd69f03e0).kind, End::system);       // eret
    EXPECT_EQ(arm(0xd4000001).kind, End::system);       // svc
    EXPECT_EQ(arm(0x91000400).kind, End::none);         // add
    EXPECT_EQ(arm(0xf9400000).kind, End::none);         // ldr
    EXPECT_EQ(ending_of(Guest::arm64, Bytes{0x01}, 0).kind, End::none);
}

TEST(Ports, AreDecoded) {
    const auto port = [](const Bytes& bytes) { return is_port_access(Guest::x86_64, bytes); };
    EXPECT_TRUE(port({0xec}));
    EXPECT_TRUE(port({0x66, 0xef}));
    EXPECT_TRUE(port({0xe6, 0x80}));
    EXPECT_TRUE(port({0xf3, 0x6c}));
    EXPECT_FALSE(port({0x90}));
    EXPECT_FALSE(port({}));
    EXPECT_FALSE(is_port_access(Guest::arm64, Bytes{0xec, 0, 0, 0}));
}

TEST(Block, KnowsItsInstructions) {
    Block block;
    block.start = 0x100;
    block.count = 3;
    const std::uint16_t offsets[] = {0, 2, 7};
    block.offsets = offsets;
    EXPECT_EQ(block.index_of(0x100), 0u);
    EXPECT_EQ(block.index_of(0x107), 2u);
    EXPECT_EQ(block.index_of(0x103), 3u) << "in the middle of one";
    EXPECT_EQ(block.index_of(0xff), 3u);
    EXPECT_EQ(block.index_of(0x10000102), 3u) << "beyond 16 bits";
}

TEST(Block, IsTheSameCodeIfItsInstructionsAre) {
    const std::uint16_t offsets[] = {0, 2, 7};
    const std::uint16_t equal_offsets[] = {0, 2, 7};
    const std::uint16_t others[] = {0, 3, 7};
    Block block;
    block.start = 0x100;
    block.count = 3;
    block.bytes = 9;
    block.offsets = offsets;
    block.set_ending({End::conditional, 0x100});
    Block other = block;
    other.offsets = equal_offsets;
    EXPECT_TRUE(block.is_same_code(other));
    other.offsets = others;
    EXPECT_FALSE(block.is_same_code(other)) << "overwritten by instructions of other lengths";
    other = block;
    other.set_ending({End::conditional, 0x200});
    EXPECT_FALSE(block.is_same_code(other)) << "overwritten by a branch elsewhere";
}

}  // namespace
}  // namespace ringside::softpmu
