// Recordings that nobody recorded. Each once took minutes, gigabytes or the whole process, or
// might; `ringside report` reads them all within its bounds.
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include "../data_builder.h"
#include "../scratch.h"
#include "run.h"

namespace ringside::hostile {
namespace {

namespace fs = std::filesystem;
using builders::Bytes;
using builders::DataBuilder;

constexpr std::uint32_t record_header_attr = 64;
constexpr std::uint32_t record_tracing_data = 66;
constexpr std::uint32_t record_build_id = 67;
constexpr std::uint32_t record_id_index = 69;
constexpr std::uint32_t record_auxtrace = 71;
constexpr std::uint32_t record_event_update = 78;
constexpr std::uint32_t record_feature = 80;
constexpr std::uint32_t record_compressed = 81;

std::string user_sample(DataBuilder builder) {
    return builder.sample(7, 1'000'000, 0x401000).file();
}

// The fields of the header of a file, to be overwritten.
struct Field {
    std::size_t at;
    std::uint64_t value;
};
std::string with(std::string file, const std::vector<Field>& fields) {
    for (const auto& field : fields) std::memcpy(file.data() + field.at, &field.value, 8);
    return file;
}
constexpr std::size_t attribute_bytes = 16;
constexpr std::size_t attributes_at = 24;
constexpr std::size_t attributes_size = 32;
constexpr std::size_t data_at = 40;
constexpr std::size_t data_size = 48;
constexpr std::size_t features = 72;

std::string small() {
    return user_sample(
        DataBuilder().comm(7, 7, 1, "app").map(7, 1, 0x400000, 0x1000, 0, "/bin/sh"));
}

std::string wrapping_extent() {
    Bytes body;
    // What follows is so long that the position behind it is this one.
    body.u64(~std::uint64_t{0} - 47).raw(std::string(32, '\0'));
    return small() + DataBuilder().record(record_auxtrace, 0, body.text()).records() +
           std::string(64, '\1');
}

std::string wrapping_extent_inside() {
    DataBuilder builder;
    Bytes body;
    body.u64(~std::uint64_t{0} - 63).raw(std::string(32, '\0'));
    builder.record(record_auxtrace, 0, body.text());
    return builder.sample(7, 1, 0x401000).file();
}

std::string events_that_share_their_ids() {
    const std::string one = small();
    const std::size_t entry = 128 + 16;
    const std::string attribute = one.substr(104, 128);
    const std::size_t count = most_bytes / 2 / entry;
    std::string file = one.substr(0, 104);
    const std::size_t ids_at = 104 + count * entry;
    Bytes attributes;
    for (std::size_t i = 0; i < count; ++i)
        attributes.raw(attribute).u64(ids_at).u64(most_bytes / 2);
    file += attributes.text() + std::string(most_bytes / 2, '\1');
    return with(file, {{attributes_size, count * entry}, {data_at, file.size()}, {data_size, 0}});
}

std::string features_that_are_the_whole_file() {
    std::string file = small();
    file.resize(most_bytes - 8192, '\1');
    const std::uint64_t table = file.size();
    Bytes entries;
    for (int i = 0; i < 256; ++i) entries.u64(0).u64(most_bytes);
    file += entries.text();
    std::vector<Field> fields{{data_size, table - 104 - 144}};
    for (std::size_t i = 0; i < 4; ++i) fields.push_back({features + 8 * i, ~std::uint64_t{0}});
    return with(file, fields);
}

std::string maps_under_maps() {
    DataBuilder builder;
    builder.comm(7, 7, 1, "app");
    std::uint64_t time = 1;
    while (builder.records().size() < most_bytes / 2) {
        builder.map(7, time, 0x1000 * 2 * time, 0x1000, 0, "/a");
        ++time;
    }
    while (builder.records().size() < most_bytes - 4096) {
        ++time;
        builder.map(7, time, 0, 0x1000 * 2 * time, 0, "/b");
    }
    return builder.sample(7, time, 0x401000).file();
}

std::string forks_that_map() {
    DataBuilder builder;
    std::uint32_t pid = 7;
    while (builder.records().size() < most_bytes / 2) {
        builder.map(7, 1, 0x100000 + builder.records().size() * 2, 0x40, 0, "/a");
    }
    for (std::uint64_t time = 2; builder.records().size() < most_bytes - 4096; ++time) {
        ++pid;
        builder.fork(pid, 7, time).map(pid, time, 0x1000, 0x1000, 0, "/b");
    }
    return builder.sample(pid, 1'000'000'000, 0x1010).file();
}

std::string a_chain_of_forks() {
    DataBuilder builder;
    builder.map(1, 1, 0x400000, 0x1000, 0, "/a");
    std::uint32_t pid = 1;
    for (std::uint64_t time = 2; builder.records().size() < most_bytes - 4096; ++time, ++pid) {
        builder.fork(pid + 1, pid, time).map(pid + 1, time, 0x1000 * time, 0x1000, 0, "/b");
    }
    return builder.sample(pid, 1'000'000'000, 0x400010).file();
}

std::string execs_without_end() {
    DataBuilder builder;
    for (std::uint64_t time = 2; builder.records().size() < most_bytes / 2; ++time) {
        builder.comm(7, 7, time, "n" + std::to_string(time), true);
    }
    while (builder.records().size() < most_bytes - 4096) builder.sample(7, 1, 0x401000);
    return builder.file();
}

std::string names_for_events_without_end() {
    const std::string pipe = DataBuilder().pipe();
    const std::string attribute = pipe.substr(16 + 8, 128);
    DataBuilder records;
    std::uint64_t id = 0;
    while (records.records().size() < most_bytes / 2) {
        ++id;
        records.record(record_header_attr, 0,
                       attribute + Bytes().u64(id).u64(1'000'000 + id).text());
    }
    while (records.records().size() < most_bytes - 4096) {
        records.record(record_event_update, 0, Bytes().u64(2).u64(id).name("x").text());
    }
    return pipe + records.records();
}

std::string packed(const std::string& content) {
    std::string out(ZSTD_compressBound(content.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 19));
    return out;
}

std::string a_bomb() {
    const std::string zeros = packed(std::string(std::size_t{64} << 20, '\0'));
    DataBuilder builder;
    while (builder.records().size() + zeros.size() < most_bytes - 4096) {
        builder.record(record_compressed, 0, zeros);
    }
    return builder.file();
}

std::string a_bomb_of_samples() {
    std::string samples;
    while (samples.size() < (std::size_t{200} << 20))
        samples += DataBuilder().sample(7, 1, 0x401000).records();
    DataBuilder builder;
    const std::string whole = packed(samples);
    for (std::size_t at = 0; at < whole.size(); at += 60'000) {
        builder.record(record_compressed, 0, whole.substr(at, 60'000));
    }
    return builder.file();
}

std::string a_chain_without_end() {
    DataBuilder builder(base::ByteOrder::same, true);
    Bytes body;
    body.u64(0x401000).u32(7).u32(7).u64(1).u64(1).u64(~std::uint64_t{0} / 8);
    return builder.record(PERF_RECORD_SAMPLE, 2, body.text()).file();
}

std::string paths_without_end() {
    DataBuilder builder;
    for (std::uint64_t i = 1; builder.records().size() < most_bytes - 70'000; ++i) {
        builder.map(7, i, 0x100000 * i, 0x1000, 0,
                    "/" + std::string(60'000, 'd') + std::to_string(i));
        builder.sample(7, i, 0x100000 * i);
    }
    return builder.file();
}

std::string processes_without_end() {
    DataBuilder builder;
    for (std::uint32_t pid = 1; builder.records().size() < most_bytes - 4096; ++pid) {
        builder.comm(pid, pid, pid, "c" + std::to_string(pid)).sample(pid, pid, pid);
    }
    return builder.file();
}

std::string build_ids_without_room() {
    DataBuilder builder;
    while (builder.records().size() < most_bytes / 2)
        builder.record(record_build_id, 0, std::string(24, '\2'));
    for (int i = 0; i < 100; ++i) builder.record(record_build_id, 0, "");
    return builder.sample(7, 1, 0x401000).file();
}

std::string places_of_guests() {
    DataBuilder builder;
    Bytes body;
    body.u64(~std::uint64_t{0} / 32);
    for (int i = 0; i < 1000; ++i) body.u64(static_cast<std::uint64_t>(i));
    builder.record(record_id_index, 0, body.text());
    for (std::uint32_t machine = 1; builder.records().size() < most_bytes - 4096; ++machine) {
        builder.sample(machine, 1, 0x401000, 1, PERF_RECORD_MISC_GUEST_KERNEL);
    }
    return builder.file();
}

std::string names_that_a_terminal_obeys() {
    DataBuilder builder;
    builder.comm(7, 7, 1, "\x1b[2J\x1b]0;x\x07");
    builder.map(7, 1, 0x400000, 0x10000, 0,
                "/tmp/a\n100.00 %  root  fine\x9b"
                "31m");
    builder.comm(8, 8, 1,
                 "a\xe2\x80\xae"
                 "b\r\xff");
    return builder.sample(7, 2, 0x401000).sample(8, 2, 0x401000).file();
}

std::string features_of_a_pipe() {
    DataBuilder records;
    for (std::uint64_t feature = 0; records.records().size() < most_bytes - 70'000; ++feature) {
        records.record(record_feature, 0,
                       Bytes().u64(feature % 300).raw(std::string(30'000, '\xff')).text());
    }
    records.record(record_tracing_data, 0, Bytes().u32(~0u).text());
    return DataBuilder().pipe() + records.records();
}

std::vector<Shape> recordings() {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    return {
        {"nothing", [] { return std::string(); }},
        {"only_a_magic", [] { return std::string("PERFILE2"); }},
        {"an_extent_that_wraps_behind_the_data", wrapping_extent},
        {"an_extent_that_wraps", wrapping_extent_inside},
        {"events_without_size",
         [] {
             return with(small(), {{attribute_bytes, 0}});
         }},
        {"events_of_all_sizes",
         [] {
             return with(small(), {{attribute_bytes, all}});
         }},
        {"events_elsewhere",
         [] {
             return with(small(), {{attributes_at, all - 7}});
         }},
        {"more_events_than_the_file",
         [] {
             return with(small(), {{attributes_size, all}});
         }},
        {"data_elsewhere",
         [] {
             return with(small(), {{data_at, all - 7}, {data_size, 16}});
         }},
        {"more_data_than_the_file",
         [] {
             return with(small(), {{data_size, all - 103}});
         }},
        {"events_that_share_their_ids", events_that_share_their_ids},
        {"features_that_are_the_whole_file", features_that_are_the_whole_file},
        {"a_record_without_size", [] { return small() + std::string(64, '\0'); }},
        {"maps_under_maps", maps_under_maps},
        {"forks_that_map", forks_that_map},
        {"a_chain_of_forks", a_chain_of_forks},
        {"execs_without_end", execs_without_end},
        {"names_for_events_without_end", names_for_events_without_end},
        {"a_bomb", a_bomb},
        {"a_bomb_of_samples", a_bomb_of_samples},
        {"a_chain_without_end", a_chain_without_end},
        {"paths_without_end", paths_without_end},
        {"processes_without_end", processes_without_end},
        {"build_ids_without_room", build_ids_without_room},
        {"places_of_guests", places_of_guests},
        {"names_that_a_terminal_obeys", names_that_a_terminal_obeys},
        {"features_of_a_pipe", features_of_a_pipe},
    };
}

class HostileRecording : public ::testing::TestWithParam<Shape> {};

TEST_P(HostileRecording, IsReadWithinItsBounds) {
    const std::string path = scratch::file("hostile.data");
    const std::string bytes = GetParam().bytes();
    ASSERT_LE(bytes.size(), most_bytes);
    DataBuilder::write(path, bytes);
    for (const auto& more : std::vector<std::vector<std::string>>{
             {},
             {"--json"},
             {"--csv"},
             {"--call-graph"},
             {"--sort", "pid,tid,comm,dso,symbol,srcline,mode"}}) {
        std::vector<std::string> words{"report", "-i", path};
        words.insert(words.end(), more.begin(), more.end());
        expect_harmless(run_bounded(words), more.empty() ? "report" : more.front());
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileRecording, ::testing::ValuesIn(recordings()),
                         [](const auto& each) { return std::string(each.param.name); });

// Names in a recording are opened; what is there must be a file.
TEST(HostileModule, IsNoFile) {
    const std::string pipe = scratch::file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& path : {pipe, std::string("/dev/zero"), std::string("/dev/ptmx"),
                             std::string("/proc/self/mem"), std::string("/"), std::string("")}) {
        const std::string data = scratch::file("module.data");
        DataBuilder builder;
        builder.map(7, 1, 0x400000, 0x10000, 0, path).sample(7, 2, 0x401000);
        DataBuilder::write(data, builder.file());
        expect_harmless(run_bounded({"report", "-i", data}), path);
    }
}

TEST(HostileRecordingItself, IsNoFile) {
    const std::string pipe = scratch::file("pipe");
    ::mkfifo(pipe.c_str(), 0600);
    for (const auto& path :
         {pipe, std::string("/dev/zero"), std::string("/dev/ptmx"), std::string("/")}) {
        const Ended ended = run_bounded({"report", "-i", path});
        expect_harmless(ended, path);
        EXPECT_EQ(ended.exit_code, 125) << path;
    }
}

}  // namespace
}  // namespace ringside::hostile
