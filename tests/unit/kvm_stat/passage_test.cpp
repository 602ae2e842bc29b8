#include "kvm_stat/passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/byte_writer.h"
#include "kvm_stat/events.h"

namespace ringside::kvm_stat {
namespace {

using ::testing::HasSubstr;

base::SysRoot machine(const std::string& name) {
    return base::SysRoot(RINGSIDE_FIXTURES "/kvm_stat/" + name);
}

PassageDecoder decoder(const std::string& name) {
    const auto formats = passage_formats(machine(name));
    EXPECT_TRUE(formats) << formats.error().what;
    return PassageDecoder(*formats);
}

std::optional<Passage> decode(const PassageDecoder& decoder, std::uint64_t id,
                              const base::ByteWriter& raw) {
    perf::FullSample sample;
    sample.pid = 7;
    sample.tid = 8;
    sample.time_ns = 99;
    sample.raw = raw.bytes();
    return decoder.decode(id, sample, perf::ByteOrder::same);
}

base::ByteWriter x86_exit(std::uint32_t reason, std::uint32_t isa, std::uint32_t vcpu) {
    base::ByteWriter raw;
    raw.u64(0).u32(reason).u32(0).u64(0x1234).u32(isa).u32(0).u64(0).u64(0).u64(0).u32(vcpu).u32(0);
    return raw;
}

base::ByteWriter arm64_exit(std::uint32_t outcome, std::uint32_t exception_class) {
    base::ByteWriter raw;
    raw.u64(0).u32(outcome).u32(exception_class).u64(0x1234);
    return raw;
}

TEST(KvmPassage, X86SaysWhichVcpuAndWhichManual) {
    const auto x86 = decoder("x86");
    const auto svm = decode(x86, 302, x86_exit(0x78, 2, 3));
    ASSERT_TRUE(svm);
    EXPECT_EQ(svm->direction, Direction::exit);
    EXPECT_EQ(svm->pid, 7u);
    EXPECT_EQ(svm->tid, 8u);
    EXPECT_EQ(svm->time_ns, 99u);
    EXPECT_EQ(svm->vcpu, 3u);
    EXPECT_EQ(svm->reason, (ExitReason{ReasonTable::svm, 0x78}));
    const auto vmx = decode(x86, 302, x86_exit(12, 1, 0));
    EXPECT_EQ(vmx->reason, (ExitReason{ReasonTable::vmx, 12}));
    const auto entry = decode(x86, 301, base::ByteWriter().u64(0).u32(5).u32(0).u64(0x1234));
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->direction, Direction::entry);
    EXPECT_EQ(entry->vcpu, 5u);
}

TEST(KvmPassage, OnArm64ATrapIsToldByItsExceptionClass) {
    const auto arm64 = decoder("arm64");
    EXPECT_EQ(decode(arm64, 402, arm64_exit(2, 0x24))->reason,
              (ExitReason{ReasonTable::arm64_trap, 0x24}));
    EXPECT_EQ(decode(arm64, 402, arm64_exit(0, 0))->reason, (ExitReason{ReasonTable::arm64, 0}));
    EXPECT_EQ(decode(arm64, 402, arm64_exit(0, 0))->vcpu, std::nullopt);
}

TEST(KvmPassage, OtherEventsAndShortSamplesAreNone) {
    const auto x86 = decoder("x86");
    EXPECT_FALSE(decode(x86, 303, x86_exit(0x78, 2, 0)));
    EXPECT_FALSE(decode(x86, 302, base::ByteWriter().u64(0)));
    const PassageDecoder nothing({});
    EXPECT_FALSE(nothing.knows_entry() || nothing.knows_exit());
    EXPECT_FALSE(decode(nothing, 302, x86_exit(0x78, 2, 0)));
}

TEST(KvmReasons, HaveTheKernelsNames) {
    const ReasonNames names;
    EXPECT_EQ(names.name({ReasonTable::svm, 0x60}), "interrupt");
    EXPECT_EQ(names.name({ReasonTable::svm, 0x400}), "npf");
    EXPECT_EQ(names.name({ReasonTable::svm, 0xffffffff}), "invalid_guest_state");
    EXPECT_EQ(names.name({ReasonTable::vmx, 48}), "EPT_VIOLATION");
    EXPECT_EQ(names.name({ReasonTable::vmx, 0x80000021}), "INVALID_STATE (entry failed)");
    EXPECT_EQ(names.name({ReasonTable::arm64, 0}), "IRQ");
    EXPECT_EQ(names.name({ReasonTable::arm64_trap, 0x24}), "DABT_LOW");
    EXPECT_EQ(names.name({ReasonTable::svm, 0x3ff}), "reason 0x3ff");
    EXPECT_EQ(names.name({ReasonTable::unknown, 12}), "reason 0xc");
}

TEST(KvmReasons, OnlyHaltsAreIdling) {
    const ReasonNames names;
    EXPECT_TRUE(names.is_halt({ReasonTable::svm, 0x78}));
    EXPECT_TRUE(names.is_halt({ReasonTable::vmx, 12}));
    EXPECT_TRUE(names.is_halt({ReasonTable::arm64_trap, 1}));
    EXPECT_FALSE(names.is_halt({ReasonTable::arm64, 1}));
    EXPECT_FALSE(names.is_halt({ReasonTable::svm, 12}));
    EXPECT_FALSE(names.is_halt({ReasonTable::unknown, 0x78}));
}

TEST(KvmEvents, AreFoundWithTheirNumbers) {
    const auto events = passage_events(machine("x86"));
    ASSERT_TRUE(events) << events.error().what;
    ASSERT_EQ(events->size(), 2u);
    EXPECT_EQ((*events)[0].event.name, "kvm:kvm_entry");
    EXPECT_EQ((*events)[1].event.code.config, 302u);
}

TEST(KvmEvents, WhatIsMissingIsNamed) {
    const auto no_tracefs = passage_events(base::SysRoot(RINGSIDE_FIXTURES "/no_such_machine"));
    ASSERT_FALSE(no_tracefs);
    EXPECT_THAT(no_tracefs.error().what, HasSubstr("tracefs is not mounted"));
    EXPECT_THAT(no_tracefs.error().hint, HasSubstr("mount -t tracefs"));
    const auto no_kvm = passage_events(machine("without_kvm"));
    ASSERT_FALSE(no_kvm);
    EXPECT_THAT(no_kvm.error().what, HasSubstr("KVM is not loaded"));
    EXPECT_THAT(no_kvm.error().hint, HasSubstr("modprobe"));
}

}  // namespace
}  // namespace ringside::kvm_stat
