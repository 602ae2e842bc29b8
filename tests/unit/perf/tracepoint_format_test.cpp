#include "perf/tracepoint_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/byte_writer.h"

namespace ringside::perf {
namespace {

using base::ByteOrder;
using base::ByteWriter;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view sched_switch =
    "name: sched_switch\n"
    "ID: 314\n"
    "format:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\n"
    "print fmt: \"prev_comm=%s\", REC->prev_comm\n";

TEST(TracepointFormat, SaysWhereFieldsLie) {
    const auto format = parse_tracepoint_format(sched_switch);
    ASSERT_TRUE(format);
    EXPECT_EQ(format->name, "sched_switch");
    EXPECT_EQ(format->id, 314u);
    ASSERT_THAT(format->fields, SizeIs(4));
    ASSERT_NE(format->find("prev_comm"), nullptr);
    EXPECT_EQ(format->find("prev_comm")->size, 16u);
    EXPECT_EQ(format->find("next_pid"), nullptr);
    ByteWriter raw;
    raw.zeros(24).u32(4711).u32(0).u64(0x1122334455667788);
    EXPECT_EQ(format->find("prev_pid")->read(raw.bytes(), ByteOrder::same), 4711u);
    EXPECT_EQ(format->find("prev_pid")->read(raw.bytes(), ByteOrder::swapped), 0x67120000u);
    EXPECT_EQ(format->find("prev_state")->read(raw.bytes(), ByteOrder::same), 0x1122334455667788u);
    EXPECT_EQ(format->find("prev_comm")->read(raw.bytes(), ByteOrder::same), std::nullopt);
    EXPECT_EQ(format->find("prev_state")->read(raw.bytes().first(39), ByteOrder::same),
              std::nullopt);
}

TEST(TracepointFormat, WhatIsNoneIsNotTakenForOne) {
    EXPECT_FALSE(parse_tracepoint_format(""));
    EXPECT_FALSE(parse_tracepoint_format("name: x\nID: many\n"));
    const auto odd = parse_tracepoint_format("name: x\nID: 1\nfield:int a;\tsize:4;\nfield:;");
    ASSERT_TRUE(odd);
    EXPECT_THAT(odd->fields, IsEmpty());
}

std::vector<std::byte> section() {
    ByteWriter out;
    out.raw(std::string_view("\x17\x08\x44tracing")).raw(std::string_view("0.6\0", 4));
    out.add(std::uint8_t{0}).add(std::uint8_t{8}).u32(4096);
    out.raw(std::string_view("header_page\0", 12)).u64(3).raw(std::string_view("abc"));
    out.raw(std::string_view("header_event\0", 13)).u64(0);
    out.u32(1).u64(5).raw(std::string_view("other"));
    out.u32(1).raw(std::string_view("sched\0", 6)).u32(1);
    out.u64(sched_switch.size()).raw(sched_switch);
    return std::move(out).take();
}

TEST(TracingData, IsReadUpToWhereItIsCut) {
    const auto bytes = section();
    const auto formats = parse_tracing_data(bytes, ByteOrder::same);
    ASSERT_THAT(formats, SizeIs(1));
    EXPECT_EQ(formats[0].id, 314u);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THAT(parse_tracing_data(std::span(bytes).first(size), ByteOrder::same), IsEmpty());
}

}  // namespace
}  // namespace ringside::perf
