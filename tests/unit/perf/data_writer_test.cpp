#include "perf/data_writer.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "perf/data_file.h"
#include "perf/record_encoder.h"

namespace ringside::perf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

WrittenEvent clock_event(std::uint64_t id) {
    WrittenEvent event;
    event.attributes.size = sizeof event.attributes;
    event.attributes.type = PERF_TYPE_SOFTWARE;
    event.attributes.sample_type = made_sample_type;
    event.attributes.sample_id_all = 1;
    event.name = "cpu-clock";
    event.ids = {id};
    return event;
}

std::vector<std::byte> sample_at(std::uint64_t time_ns, std::uint64_t id = 5) {
    const std::vector<std::uint64_t> chain{static_cast<std::uint64_t>(PERF_CONTEXT_USER), 0x1234,
                                           0x5678};
    base::ByteWriter out;
    SampleRecord sample;
    sample.stamp = {7, 8, time_ns, 1, id};
    sample.period = 1000;
    sample.chain = chain;
    encode_sample(out, sample);
    return std::move(out).take();
}

class Writer : public ::testing::Test {
  protected:
    Writer() { fs::create_directories(folder_); }
    ~Writer() override { fs::remove_all(folder_); }

    std::string path() const { return folder_ + "/x.data"; }
    DataWriter make(const Context& context = {}) const {
        auto writer = DataWriter::create(path(), {clock_event(5), clock_event(6)}, context);
        EXPECT_TRUE(writer) << writer.error().what;
        return std::move(*writer);
    }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    // Times of all samples of the file at `path`, in their order.
    static std::vector<std::uint64_t> times(const DataFile& file) {
        std::vector<std::uint64_t> found;
        std::vector<std::byte> buffer;
        for (const auto& piece : file.pieces()) {
            auto done = file.read(piece, buffer, [&](const DataRecord& record) {
                if (record.type != PERF_RECORD_SAMPLE) return;
                const auto& layout = file.events()[file.event_of(record)].layout;
                const auto sample =
                    decode_full_sample(record.body, record.misc, layout, file.order());
                ASSERT_TRUE(sample);
                EXPECT_EQ(sample->ip, 0x1234u);
                EXPECT_EQ(sample->chain.size(), 3u);
                EXPECT_EQ(sample->period, 1000u);
                found.push_back(sample->time_ns);
            });
            EXPECT_TRUE(done);
        }
        return found;
    }
    std::vector<std::uint64_t> times() const {
        const auto file = DataFile::open(path());
        EXPECT_TRUE(file) << file.error().what;
        return times(*file);
    }

    std::string folder_ = scratch::file("ringside_writer");
};

TEST_F(Writer, WhatIsWrittenIsRead) {
    auto writer = make({{"hypervisor", "kvm"}, {"note", "cycles: none"}});
    ASSERT_TRUE(writer.append(sample_at(10)));
    ASSERT_TRUE(writer.append(sample_at(11, 6)));
    ASSERT_TRUE(writer.publish());
    FeatureSections features;
    features[static_cast<std::uint32_t>(Feature::hostname)] = encode_text("here");
    features[static_cast<std::uint32_t>(Feature::command_line)] = encode_texts({"ringside", "-a"});
    features[static_cast<std::uint32_t>(Feature::event_description)] =
        encode_event_descriptions({clock_event(5), clock_event(6)});
    features[static_cast<std::uint32_t>(Feature::build_id)] =
        encode_build_ids({{"[kernel.kallsyms]", "0123456789abcdef0123456789abcdef01234567",
                           CpuMode::kernel, UINT32_MAX}});
    features[static_cast<std::uint32_t>(Feature::sample_time)] = encode_words({10, 11});
    features[static_cast<std::uint32_t>(Feature::clock_data)] = encode_clock_data(1, 100, 7);
    ASSERT_TRUE(writer.finish(features, {{"kallsyms.zst", std::string("\0x", 2)}}));

    const auto file = DataFile::open(path());
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_THAT(file->warnings(), IsEmpty());
    EXPECT_THAT(times(*file), ElementsAre(10, 11));
    ASSERT_THAT(file->events(), SizeIs(2));
    EXPECT_EQ(file->events()[1].name, "cpu-clock");
    EXPECT_EQ(file->event_of(6), 1u);
    EXPECT_EQ(file->origin().host, "here");
    EXPECT_THAT(file->origin().command, ElementsAre("ringside", "-a"));
    EXPECT_EQ(file->origin().last_sample_ns, 11u);
    EXPECT_EQ(file->origin().wall_clock_ns, 100u);
    ASSERT_THAT(file->build_ids(), SizeIs(1));
    EXPECT_EQ(file->build_ids()[0].build_id, "0123456789abcdef0123456789abcdef01234567");
    EXPECT_EQ(find_item(file->context(), "hypervisor"), "kvm");
    EXPECT_EQ(find_item(file->context(), "note"), "cycles: none");
    EXPECT_EQ(find_item(file->context(), "kallsyms.zst"), std::string_view("\0x", 2));
    EXPECT_EQ(find_item(file->context(), "nothing"), std::nullopt);
}

// The recorder may be killed after any write: what was appended before is there, without a warning.
TEST_F(Writer, IsReadableAtEveryMoment) {
    auto writer = make({{"event", "cpu-clock:u"}});
    ASSERT_TRUE(writer.append(sample_at(1)));
    ASSERT_TRUE(writer.publish());
    EXPECT_EQ(DataFile::open(path())->events()[0].name, "cpu-clock:u");
    for (std::uint64_t time = 2; time < 6; ++time) {
        ASSERT_TRUE(writer.append(sample_at(time)));
        const auto file = DataFile::open(path());
        ASSERT_TRUE(file);
        EXPECT_THAT(file->warnings(), IsEmpty());
        EXPECT_THAT(times(*file), SizeIs(time));
    }
}

// A machine that crashes may keep any part of the file: never a wrong sample, and no failure once
// the event is described.
TEST_F(Writer, CutAtAnyByteGivesWhatIsWhole) {
    {
        auto writer = make({{"hypervisor", "kvm"}});
        for (std::uint64_t time = 1; time <= 3; ++time) ASSERT_TRUE(writer.append(sample_at(time)));
        ASSERT_TRUE(writer.publish());
        ASSERT_TRUE(writer.finish({{3u, encode_text("here")}}, {{"samples", "3"}}));
    }
    std::ifstream stream(path(), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t each = sample_at(1).size();
    std::size_t most = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        fs::resize_file(path(), 0);
        std::ofstream(path(), std::ios::binary) << whole.substr(0, size);
        const auto file = DataFile::open(path());
        if (!file) {
            EXPECT_FALSE(file.error().what.empty());
            EXPECT_EQ(most, 0u) << "readable before, but not with " << size << " bytes";
            continue;
        }
        const auto found = times(*file);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i + 1);
        EXPECT_GE(found.size(), most);
        most = found.size();
    }
    EXPECT_EQ(most, 3u);
    EXPECT_GT(whole.size(), 3 * each);
}

TEST_F(Writer, AnOldFileStaysUntilTheNewOneIsPublished) {
    std::ofstream(path()) << "old";
    {
        auto writer = make();
        ASSERT_TRUE(writer.append(sample_at(1)));
    }
    std::ifstream old(path());
    std::string text;
    old >> text;
    EXPECT_EQ(text, "old");
    EXPECT_EQ(files(), 1u);
    auto writer = make();
    ASSERT_TRUE(writer.append(sample_at(1)));
    ASSERT_TRUE(writer.publish());
    EXPECT_THAT(times(), ElementsAre(1));
    EXPECT_EQ(files(), 1u);
}

TEST_F(Writer, SaysWhereItCannotWrite) {
    const auto writer = DataWriter::create("/no/such/folder/x.data", {clock_event(5)}, {});
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().what, ::testing::HasSubstr("/no/such/folder/x.data"));
}

TEST(Context, HoldsAnyBytes) {
    const Context context{{"a", ""}, {"", std::string(9, '\0')}, {"name", "value"}};
    EXPECT_EQ(parse_context(encode_context(context), ByteOrder::same), context);
    const auto head = encode_context_head(context);
    const auto parsed = parse_context_head(head, ByteOrder::same);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->items, context);
    EXPECT_FALSE(parse_context_head(std::span(head).first(head.size() - 1), ByteOrder::same));
    EXPECT_FALSE(parse_context_head(std::vector<std::byte>(64), ByteOrder::same));
}

TEST(Context, CutAnywhereGivesWholeItems) {
    const auto bytes = encode_context({{"one", "1"}, {"two", "22"}});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto context = parse_context(std::span(bytes).first(size), ByteOrder::same);
        ASSERT_LE(context.size(), 2u);
        for (const auto& item : context) EXPECT_EQ(item.value.size(), item.name == "one" ? 1u : 2u);
    }
}

}  // namespace
}  // namespace ringside::perf
