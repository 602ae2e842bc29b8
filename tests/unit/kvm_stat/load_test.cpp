// Files of a test's own making, written by what records them: several CPUs' buffers one behind the
// other, as a recorder empties them.
#include "kvm_stat/load.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "base/byte_writer.h"
#include "kvm_stat/events.h"
#include "kvm_stat/table.h"
#include "perf/data_writer.h"
#include "perf/record_encoder.h"
#include "record/tracing_data.h"

namespace ringside::kvm_stat {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t entry_id = 11;
constexpr std::uint64_t exit_id = 12;
constexpr std::uint32_t hlt = 0x78;
constexpr std::uint32_t svm_io = 0x7b;

class KvmLoad : public ::testing::Test {
  protected:
    KvmLoad() : root_(RINGSIDE_FIXTURES "/kvm_stat/x86"), events_(*passage_events(root_)) {}

    perf::WrittenEvent written(std::size_t index, std::uint64_t id) const {
        perf::WrittenEvent event;
        event.attributes.size = sizeof event.attributes;
        event.attributes.type = PERF_TYPE_TRACEPOINT;
        event.attributes.config = events_[index].event.code.config;
        event.attributes.sample_type = perf::stamp_fields | PERF_SAMPLE_RAW;
        event.attributes.sample_id_all = 1;
        event.name = events_[index].event.name;
        event.ids = {id};
        return event;
    }

    void sample(std::uint64_t id, std::uint64_t time_ns, const base::ByteWriter& raw,
                std::uint32_t cpu) {
        base::ByteWriter body;
        body.u64(id).u32(7).u32(8).u64(time_ns).u32(cpu).u32(0);
        body.u32(static_cast<std::uint32_t>(raw.size() + 4)).raw(raw.bytes()).u32(0);
        records_.u32(PERF_RECORD_SAMPLE).u16(PERF_RECORD_MISC_KERNEL);
        records_.u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body.bytes());
    }
    void entry(std::uint64_t time_ns, std::uint32_t cpu = 0) {
        sample(entry_id, time_ns, base::ByteWriter().u64(0).u32(1).u32(0).u64(0x1234), cpu);
    }
    void exit(std::uint64_t time_ns, std::uint32_t reason, std::uint32_t cpu = 0) {
        base::ByteWriter raw;
        raw.u64(0).u32(reason).u32(0).u64(0).u32(2).u32(0).u64(0).u64(0).u64(0).u32(1).u32(0);
        sample(exit_id, time_ns, raw, cpu);
    }
    void lost(std::uint64_t count) {
        perf::RecordStamp stamp;
        stamp.event_id = entry_id;
        perf::encode_lost_samples(records_, count, stamp);
    }

    enum class End { finished, killed };
    std::string write(End end = End::finished, bool with_exit = true) const {
        const std::string path = scratch::file("kvm.data");
        std::vector<perf::WrittenEvent> events{written(0, entry_id)};
        if (with_exit) events.push_back(written(1, exit_id));
        perf::Context context;
        for (const auto& format : record::tracepoint_formats(root_, recorded(with_exit)))
            context.push_back({"tracepoint_format", format});
        auto writer = perf::DataWriter::create(path, events, context);
        EXPECT_TRUE(writer) << writer.error().what;
        EXPECT_TRUE(writer->append(records_.bytes()));
        EXPECT_TRUE(writer->publish());
        if (end == End::killed) return path;
        perf::FeatureSections features;
        features[static_cast<std::uint32_t>(perf::Feature::tracing_data)] =
            record::tracing_data(root_, recorded(with_exit));
        features[static_cast<std::uint32_t>(perf::Feature::event_description)] =
            perf::encode_event_descriptions(events);
        EXPECT_TRUE(writer->finish(features, {}));
        return path;
    }
    std::vector<record::SampledEvent> recorded(bool with_exit) const {
        return {events_.begin(), events_.begin() + (with_exit ? 2 : 1)};
    }

    base::SysRoot root_;
    std::vector<record::SampledEvent> events_;
    base::ByteWriter records_;
};

TEST_F(KvmLoad, PairsAreFoundAcrossCpusAndShownByReason) {
    perf::encode_comm(records_, 7, 7, "qemu");
    entry(2000, 1);  // the thread came here from CPU 0, whose buffer is read later
    exit(2600, hlt, 1);
    entry(1000);
    exit(1500, svm_io);
    perf::encode_finished_round(records_);
    entry(9000);
    lost(3);
    perf::encode_finished_round(records_);
    const auto measured = load(write());
    ASSERT_TRUE(measured) << measured.error().what;
    EXPECT_THAT(measured->warnings, IsEmpty());
    EXPECT_EQ(measured->passages, 5u);
    EXPECT_EQ(measured->lost, 3u);
    EXPECT_EQ(measured->duration_ns, 8000u);
    const auto tables = make_tables(*measured, ReasonNames(), {});
    ASSERT_THAT(tables, SizeIs(1));
    const ExitTable& table = tables[0].table;
    EXPECT_EQ(tables[0].pid, 7u);
    EXPECT_EQ(tables[0].name, "qemu");
    ASSERT_THAT(table.rows, SizeIs(2));
    EXPECT_EQ(table.rows[0].name, "io") << "halts come last, however long they take";
    EXPECT_EQ(table.exit_ns, 500u);
    EXPECT_EQ(table.halt_ns, 6400u);
    EXPECT_EQ(table.halts, 1u);
    EXPECT_EQ(table.exits, 2u);
    EXPECT_EQ(table.guest_ns, 1100u);
    ASSERT_THAT(tables[0].vcpus, SizeIs(1));
    EXPECT_EQ(tables[0].vcpus[0].vcpu, 1u);
    EXPECT_EQ(tables[0].vcpus[0].tid, 8u);
    EXPECT_THAT(make_tables(*measured, ReasonNames(), {SortKey::time, 8}), IsEmpty());
}

TEST_F(KvmLoad, ARecorderThatWasKilledLeavesWhatItHad) {
    entry(1000);
    exit(1500, svm_io);
    entry(1600);
    const auto measured = load(write(End::killed));
    ASSERT_TRUE(measured) << measured.error().what;
    EXPECT_EQ(measured->passages, 3u);
}

TEST_F(KvmLoad, AFileWithoutExitsIsRefused) {
    entry(1000);
    const auto measured = load(write(End::finished, false));
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().what, HasSubstr("were not both recorded"));
    EXPECT_THAT(measured.error().hint, HasSubstr("ringside kvm stat record"));
}

TEST_F(KvmLoad, NothingSeenIsNoError) {
    const auto measured = load(write());
    ASSERT_TRUE(measured) << measured.error().what;
    EXPECT_THAT(measured->vcpus, IsEmpty());
    EXPECT_EQ(measured->duration_ns, std::nullopt);
}

TEST(KvmTable, RowsAreSortedByWhatIsAskedFor) {
    Measurement measured;
    VcpuStats vcpu;
    vcpu.pid = 7;
    vcpu.tid = 8;
    for (int i = 0; i < 3; ++i) vcpu.reasons[{ReasonTable::svm, svm_io}].add(10);
    vcpu.reasons[{ReasonTable::svm, 0x7c}].add(1000);  // msr
    vcpu.reasons[{ReasonTable::svm, hlt}].add(50'000);
    measured.vcpus = {vcpu};
    measured.names = {{8, "CPU 5/KVM"}};
    const auto first = [&](std::string_view key) {
        const auto tables = make_tables(measured, ReasonNames(), {*parse_sort_key(key), 7});
        EXPECT_EQ(tables.at(0).vcpus.at(0).vcpu, 5u) << "QEMU's name for the thread says";
        return tables.at(0).table.rows.at(0).name;
    };
    EXPECT_EQ(first("time"), "msr");
    EXPECT_EQ(first("count"), "io");
    EXPECT_EQ(first("max"), "msr");
    EXPECT_EQ(first("name"), "io");
    EXPECT_FALSE(parse_sort_key("weather"));
}

}  // namespace
}  // namespace ringside::kvm_stat
