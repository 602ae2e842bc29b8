#include "profile/unwinder.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "../symbols/compiled_program.h"
#include "base/text.h"
#include "profile/call_tree.h"

namespace ringside::profile {
namespace {

using builders::compile_program;
using builders::inlining_source;

// Without parameters and the names of clones, which perf writes its own way.
std::string plain(const std::string& name) {
    return name.substr(0, name.find_first_of("(."));
}

// The stacks of a recording by name, "recurse;recurse;main 12", as `perf script` tells them. Where
// the copied stack ends before the chain does, perf adds an address of all ones, which we do not.
std::map<std::string, int> stacks_by_perf(const std::string& recording) {
    std::map<std::string, int> stacks;
    const auto done = base::run({"perf", "script", "--no-inline", "-i", recording, "-F", "ip,sym"});
    if (!done || done->status.shell_code() != 0) return stacks;
    std::string stack;
    for (const auto line : base::split_lines(done->stdout_text)) {
        const auto words = base::split_words(line);
        if (words.empty()) {
            if (!stack.empty()) ++stacks[stack];
            stack.clear();
        } else if (words[0] != "ffffffffffffffff") {
            const auto name =
                line.substr(line.find(words[0]) + words[0].size());  // may hold spaces
            stack += plain(std::string(base::trim(name))) + ";";
        }
    }
    if (!stack.empty()) ++stacks[stack];
    return stacks;
}

std::map<std::string, int> stacks_by_us(const std::string& recording) {
    LoadOptions options;
    options.keep.stack = true;
    const auto profile = load(recording, options);
    EXPECT_TRUE(profile);
    const auto naming = symbolize(*profile);
    std::map<std::string, int> stacks;
    for (const auto& group : profile->groups) {
        std::string text;
        for (auto at = group.stack; at != empty_stack; at = profile->stacks[at].caller) {
            const auto location = profile->stacks[at].location;
            if (is_comm_frame(location)) continue;
            const auto& function = naming.functions[naming.of_location[location]];
            text += plain(function.resolved ? function.name : "[unknown]") + ";";
        }
        stacks[text] += static_cast<int>(group.samples);
    }
    return stacks;
}

// Only the stacks below main: the program's own code, compiled here. The loader's samples, none to
// a few, are in code that the test did not choose.
std::map<std::string, int> below_main(std::map<std::string, int> stacks) {
    std::erase_if(stacks, [](const auto& entry) {
        return (";" + entry.first).find(";main;") == std::string::npos;
    });
    return stacks;
}

TEST(Unwinder, CopiedStacksGiveTheChainsThatPerfFinds) {
    const auto program =
        compile_program("g++", "unwound", inlining_source, {"-O2", "-g", "-fomit-frame-pointer"});
    if (!program) GTEST_SKIP() << "g++ is not here";
    const std::string recording = scratch::file("ringside_unwound.data");
    const auto recorded =
        base::run({"perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", "--call-graph",
                   "dwarf,4096", "-o", recording, "--", *program, "long"});
    if (!recorded || recorded->status.shell_code() != 0) GTEST_SKIP() << "perf cannot record here";
    const auto expected = below_main(stacks_by_perf(recording));
    int samples = 0;
    for (const auto& [stack, count] : expected) samples += count;
    if (samples < 10) GTEST_SKIP() << "perf took " << samples << " samples of main only";
    EXPECT_EQ(below_main(stacks_by_us(recording)), expected);
}

// main calls f: f keeps no frame pointer, so only its call frame information leads back.
TEST(Unwinder, ASignedReturnAddressLosesItsSignature) {
    symbols::UnwindRow row;
    row.cfa_register = 31;
    row.cfa_offset = 16;
    row.return_register = 30;
    row.rules[30] = {symbols::UnwindRule::Kind::at_offset, -8, {}};
    row.signed_return = true;
    symbols::RegisterSet registers;
    registers.set(31, 0x1000);
    const auto caller = unwind_step(row, registers, 31, 32, [](std::uint64_t address) {
        return address == 0x1008 ? std::optional<std::uint64_t>(0x00ab0000aaaa1234) : std::nullopt;
    });
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->value[32], 0xaaaa1234u);
    EXPECT_EQ(caller->value[31], 0x1010u);
}

TEST(Unwinder, MemoryThatWasNotCopiedEndsTheChain) {
    symbols::UnwindRow row;
    row.cfa_register = 7;
    row.cfa_offset = 8;
    row.return_register = 16;
    row.rules[16] = {symbols::UnwindRule::Kind::at_offset, -8, {}};
    symbols::RegisterSet registers;
    registers.set(7, 0x1000);
    EXPECT_FALSE(unwind_step(row, registers, 7, 16,
                             [](std::uint64_t) { return std::optional<std::uint64_t>(); }));
    row.cfa_register = 3;  // whose value nobody knows
    EXPECT_FALSE(unwind_step(row, registers, 7, 16,
                             [](std::uint64_t) { return std::optional<std::uint64_t>(1); }));
}

// The expression that linkers write for procedure linkage tables:
// rsp + 8 + ((rip & 15) >= 11 ? 8 : 0).
TEST(Unwinder, ExpressionsAreComputed) {
    const std::array<std::uint8_t, 11> bytes{0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a,
                                             0x3b, 0x2a, 0x33, 0x24, 0x22};
    symbols::UnwindRow row;
    row.cfa_expression = std::as_bytes(std::span(bytes));
    row.return_register = 16;
    row.rules[16] = {symbols::UnwindRule::Kind::at_offset, -8, {}};
    symbols::RegisterSet registers;
    registers.set(7, 0x1000);
    const auto read = [](std::uint64_t address) { return std::optional(address); };
    registers.set(16, 0x4001b);
    EXPECT_EQ(unwind_step(row, registers, 7, 16, read)->value[7], 0x1010u);
    registers.set(16, 0x40010);
    EXPECT_EQ(unwind_step(row, registers, 7, 16, read)->value[7], 0x1008u);
}

}  // namespace
}  // namespace ringside::profile
