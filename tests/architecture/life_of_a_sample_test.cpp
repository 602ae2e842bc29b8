// The stations of docs/life_of_a_sample.md, called in the order of that page: what the kernel wrote
// into a ring buffer becomes a bar of a chart. The page names these files; a station that moves
// fails here first.
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include "../scratch.h"
#include "base/text.h"
#include "compare/chart.h"
#include "compare/join.h"
#include "measure/profile.h"
#include "perf/data_features.h"
#include "perf/data_file.h"
#include "perf/data_header.h"
#include "perf/record_encoder.h"
#include "proc/maps.h"
#include "record/store.h"
#include "render/layout.h"
#include "render/svg.h"
#include "run/folder.h"
#include "slurp.h"

extern "C" __attribute__((noinline, used)) int ringside_sampled_function(int value) {
    return value + 1;
}

namespace ringside::architecture {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint32_t pid = 4711;

// Where this program has the function, as the kernel would record its mapping.
perf::MapRecord mapping_of(std::uint64_t address) {
    for (const auto& mapping : proc::parse_maps(slurp("/proc/self/maps"))) {
        if (address < mapping.start || address >= mapping.end) continue;
        perf::MapRecord record;
        record.pid = record.tid = pid;
        record.start = mapping.start;
        record.size = mapping.end - mapping.start;
        record.file_offset = mapping.file_offset;
        record.file = mapping.path;
        record.protection = 5;  // PROT_READ | PROT_EXEC
        record.flags = 2;       // MAP_PRIVATE
        return record;
    }
    return {};
}

// Three samples of 1 ms each, in the function.
std::vector<std::byte> records_of_the_kernel() {
    const auto address = reinterpret_cast<std::uint64_t>(&ringside_sampled_function);
    base::ByteWriter out;
    perf::encode_comm(out, pid, pid, "worker");
    perf::encode_process_map(out, mapping_of(address));
    const std::uint64_t chain[] = {PERF_CONTEXT_USER, address};
    perf::SampleRecord sample;
    sample.period = 1'000'000;
    sample.chain = chain;
    for (std::uint64_t time_ns = 100; time_ns <= 300; time_ns += 100) {
        sample.stamp = {pid, pid, time_ns, 0, 1};
        perf::encode_sample(out, sample);
    }
    return std::move(out).take();
}

perf::WrittenEvent sampled_event() {
    perf::WrittenEvent event;
    event.attributes.type = PERF_TYPE_SOFTWARE;
    event.attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    event.attributes.size = sizeof event.attributes;
    event.attributes.sample_type = perf::made_sample_type;
    event.attributes.sample_id_all = 1;
    event.name = "cpu-clock";
    event.ids = {1};
    return event;
}

TEST(LifeOfASample, FromTheRingBufferToTheChart) {
    // 1, 2: out of the ring, where a record may lie across the end, into the file.
    const std::string file = scratch::file("life.data");
    {
        auto writer = perf::DataWriter::create(file, {sampled_event()}, {});
        ASSERT_TRUE(writer);
        record::Store store(std::move(*writer), 1);
        ASSERT_TRUE(store.writer().publish());
        const auto all = records_of_the_kernel();
        const std::span<const std::byte> ring(all);
        store.take(perf::RingBuffer::Unread{ring.first(100), ring.subspan(100)});
        ASSERT_FALSE(store.failure());
        EXPECT_EQ(store.tally().samples, 3u);
        constexpr auto descriptions = static_cast<std::uint32_t>(perf::Feature::event_description);
        ASSERT_TRUE(store.writer().finish(
            {{descriptions, perf::encode_event_descriptions({sampled_event()})}}, {}));
    }

    // 3: the file, whole records again.
    const auto data = perf::DataFile::open(file);
    ASSERT_TRUE(data);
    EXPECT_THAT(data->events(), SizeIs(1));

    // 4, 5: counted, named and put into rows.
    const auto flat = measure::load_flat_profile(file, true);
    ASSERT_TRUE(flat);
    ASSERT_THAT(flat->rows, SizeIs(1));
    ASSERT_THAT(flat->rows[0].rows, SizeIs(1));
    const auto& row = flat->rows[0].rows[0];
    EXPECT_EQ(row.period, 3'000'000u);
    EXPECT_EQ(flat->naming.functions[row.function].name, "ringside_sampled_function");

    // 6: a run in its folder, with the unit of its values; and back.
    run::Run measured;
    measure::add_profile(*flat, false, measured);
    measured.exit_code = 0;
    const std::string folder = scratch::file("life.run");
    run::Side side;
    side.name = "native";
    side.kind = run::SideKind::native;
    auto writer = run::FolderWriter::create(folder, side);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->add(measured));
    const auto read = run::read_folder(folder);
    ASSERT_TRUE(read);
    ASSERT_THAT(read->runs, SizeIs(1));
    const run::Sampled* sampled = read->runs[0].find_sampled("cpu-clock");
    ASSERT_NE(sampled, nullptr);
    EXPECT_EQ(sampled->unit, "ns");
    EXPECT_EQ(sampled->value, 3e6);

    // 7: joined with another side, here with itself.
    auto other = *read;
    other.name = "vm";
    const std::vector<run::Side> sides{*read, other};
    const auto comparison = compare::join(sides);
    ASSERT_TRUE(comparison);
    ASSERT_THAT(comparison->functions, SizeIs(1));
    EXPECT_EQ(comparison->functions[0].symbol, "ringside_sampled_function");
    EXPECT_EQ(comparison->functions[0].ratios[1].ratio, 1.0);

    // 8: drawn, in seconds.
    const auto figure = compare::chart_functions(sides, *comparison, "cpu-clock", 5);
    const std::string svg = render::svg_of(render::lay_out(figure));
    EXPECT_THAT(svg, HasSubstr("ringside_sampled_function"));
    EXPECT_THAT(svg, HasSubstr("0.003"));
}

// This page and its sisters: each names the files of its stations.
TEST(LifeOf, ThePagesNameFilesThatAreThere) {
    const fs::path source = RINGSIDE_SOURCE_DIR;
    for (const auto* page : {"a_sample", "a_comparison", "a_papi_read", "a_trapped_access"}) {
        const std::string text = slurp(source / fmt::format("docs/life_of_{}.md", page));
        std::size_t named = 0;
        for (const auto word : base::split(text, '`')) {
            const bool is_path =
                base::contains(word, "/") && word.find_first_of(" *:(\n") == std::string_view::npos;
            if (!is_path) continue;
            ++named;
            EXPECT_TRUE(fs::exists(source / std::string(word))) << page << ": " << word;
        }
        EXPECT_GE(named, 7u) << page;
    }
}

}  // namespace
}  // namespace ringside::architecture
