// Each exchange format, checked by its own consumer where one is installed, and by its schema.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "base/csv.h"
#include "base/process.h"
#include "export/firefox.h"
#include "export/gzip.h"
#include "export/json_text.h"
#include "export/pprof.h"
#include "export/protobuf.h"
#include "export/speedscope.h"
#include "export/stack_frames.h"
#include "export/stacks_csv.h"

namespace ringside::exports {
namespace {

using builders::DataBuilder;
using nlohmann::json;
using perf::CpuMode;
using ::testing::HasSubstr;

struct Weighted {
    profile::Profile profile;
    profile::Naming naming;
};

// main calls f, into which g was inlined; f also enters the kernel. `f_weight` can be changed.
Weighted weighted(std::uint64_t f_weight = 3) {
    DataBuilder builder(base::ByteOrder::same, true);
    const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    const auto kernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
    builder.comm(7, 7, 1, "app").map(7, 1, 0x10, 0x80, 0, "/usr/bin/app");
    builder.sample(7, 1'000'000, 0x20, f_weight, PERF_RECORD_MISC_USER, {user, 0x20, 0x10});
    builder.sample(7, 2'000'000, 0x90, 2, PERF_RECORD_MISC_KERNEL,
                   {kernel, 0x90, user, 0x20, 0x10});
    builder.sample(7, 3'000'000, 0x10, 5, PERF_RECORD_MISC_USER, {user, 0x10});
    auto profile =
        profile::load(DataBuilder::write(scratch::file("ringside_formats.data"), builder.file()),
                      {keep_timelines()});
    Weighted result{std::move(*profile), {}};
    result.profile.events[0].name = "cpu-clock";
    result.naming.functions = {{"main", "app", CpuMode::user, true},
                               {"f<int, \"x\">", "app", CpuMode::user, true},
                               {"do_work", "[kernel.kallsyms]", CpuMode::kernel, true},
                               {"g", "app", CpuMode::user, true}};
    for (profile::LocationId id = 0; id < result.profile.locations.size(); ++id) {
        const auto address = result.profile.locations[id].address;
        result.naming.of_location.push_back(address == 0x10 ? 0 : address == 0x20 ? 1 : 2);
        result.naming.inlined_at.push_back(
            static_cast<std::uint32_t>(result.naming.inlined.size()));
        if (address == 0x20) result.naming.inlined.push_back(3);
    }
    result.naming.inlined_at.push_back(static_cast<std::uint32_t>(result.naming.inlined.size()));
    return result;
}

TEST(StackFrames, InlinedFunctionsAreFramesOfTheirOwn) {
    const auto from = weighted();
    std::vector<std::string> names;
    for (const auto& frame : stack_frames(from.profile, from.naming, from.profile.groups[1].stack))
        names.push_back(from.naming.functions[frame.function].name);
    EXPECT_EQ(names, (std::vector<std::string>{"main", "f<int, \"x\">", "g", "do_work"}));
}

TEST(JsonText, EscapesAndDropsWhatIsNoUtf8) {
    EXPECT_EQ(json_string("a\"b\\c\n\xff\xc3\xa4\xed\xa0\x80"),
              "\"a\\\"b\\\\c\\u000a?\xc3\xa4???\"");
    EXPECT_EQ(json::parse(json_string("t\x01\xf0\x9f\x98\x80")).get<std::string>(),
              "t\x01\xf0\x9f\x98\x80");
}

TEST(Protobuf, FieldsAsTheEncodingSays) {
    Protobuf inner;
    inner.number(1, 150);
    EXPECT_EQ(inner.bytes(), "\x08\x96\x01");
    Protobuf outer;
    outer.message(3, inner).text(2, "testing").number(4, 0);
    EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01\x12\x07testing");
    const std::vector<std::uint64_t> list{3, 270};
    EXPECT_EQ(Protobuf().numbers(6, list).bytes(), "\x32\x03\x03\x8e\x02");
}

TEST(Pprof, GosToolReadsIt) {
    const auto from = weighted();
    const auto file = pprof(from.profile, from.naming);
    ASSERT_TRUE(file);
    const std::string path = scratch::file("ringside.pb.gz");
    DataBuilder::write(path, *file);
    const auto done = base::run({"go", "tool", "pprof", "-raw", path});
    if (!done) GTEST_SKIP() << "Go is not installed";
    ASSERT_EQ(done->status.shell_code(), 0) << done->stderr_text;
    EXPECT_THAT(done->stdout_text, HasSubstr("samples/count cpu-clock/nanoseconds"));
    EXPECT_THAT(done->stdout_text, HasSubstr("/usr/bin/app"));
    const auto top = base::run({"go", "tool", "pprof", "-top", "-unit=ns", path});
    ASSERT_TRUE(top);
    EXPECT_THAT(top->stdout_text, HasSubstr("Type: cpu-clock"));
    EXPECT_THAT(top->stdout_text, HasSubstr("5ns 50.00% 50.00%       10ns   100%  main"));
    EXPECT_THAT(top->stdout_text, HasSubstr("do_work"));
    EXPECT_THAT(top->stdout_text, HasSubstr("g (inline)"));
}

TEST(Pprof, SeveralEventsAreSeveralValues) {
    auto from = weighted();
    from.profile.events.push_back({"stolen", 1, 7, 0, true});
    profile::Group stolen = from.profile.groups[0];
    stolen.event = 1;
    stolen.samples = 1;
    stolen.period = 7;
    from.profile.groups.push_back(stolen);
    const std::string path = scratch::file("ringside_two.pb.gz");
    DataBuilder::write(path, *pprof(from.profile, from.naming));
    const auto top =
        base::run({"go", "tool", "pprof", "-top", "-sample_index=stolen", "-unit=ns", path});
    if (!top) GTEST_SKIP() << "Go is not installed";
    ASSERT_EQ(top->status.shell_code(), 0) << top->stderr_text;
    EXPECT_THAT(top->stdout_text, HasSubstr("7ns"));
    EXPECT_THAT(top->stdout_text, HasSubstr("Type: stolen"));
}

// https://www.speedscope.app/file-format-schema.json: what it requires of a sampled profile.
TEST(Speedscope, HoldsToItsSchema) {
    const auto from = weighted();
    const auto file = json::parse(speedscope(from.profile, from.naming, "a \"title\""));
    EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    EXPECT_EQ(file["name"], "a \"title\"");
    const auto& frames = file["shared"]["frames"];
    ASSERT_EQ(file["profiles"].size(), 1u);
    const auto& track = file["profiles"][0];
    EXPECT_EQ(track["type"], "sampled");
    EXPECT_EQ(track["unit"], "nanoseconds");
    EXPECT_EQ(track["startValue"], 0);
    EXPECT_EQ(track["endValue"], 10);
    EXPECT_EQ(track["weights"], json::parse("[3,2,5]"));
    ASSERT_EQ(track["samples"].size(), 3u);
    std::vector<std::string> names;
    for (const auto& index : track["samples"][1]) {
        ASSERT_LT(index.get<std::size_t>(), frames.size());
        names.push_back(frames[index.get<std::size_t>()]["name"]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"main", "f<int, \"x\">", "g", "do_work"}));
}

// All columns of a table are as long as it says.
void expect_table(const json& table) {
    const auto length = table["length"].get<std::size_t>();
    for (const auto& [name, column] : table.items()) {
        if (!column.is_array()) continue;
        EXPECT_EQ(column.size(), length) << name;
    }
}

TEST(Firefox, TablesFitTogether) {
    const auto from = weighted();
    const auto file = json::parse(firefox(from.profile, from.naming, 0, "title"));
    EXPECT_EQ(file["meta"]["preprocessedProfileVersion"], 55);
    EXPECT_EQ(file["meta"]["categories"][0]["color"], "grey");
    ASSERT_EQ(file["threads"].size(), 1u);
    const auto& thread = file["threads"][0];
    for (const auto* name : {"samples", "markers", "stackTable", "frameTable", "funcTable",
                             "resourceTable", "nativeSymbols"}) {
        SCOPED_TRACE(name);
        expect_table(thread[name]);
    }
    EXPECT_EQ(thread["samples"]["time"], json::parse("[0.0,1.0,2.0]"));
    EXPECT_EQ(thread["samples"]["weightType"], "tracing-ms");
    // The second sample, followed from its innermost frame outwards.
    std::vector<std::string> names;
    for (auto stack = thread["samples"]["stack"][1]; !stack.is_null();
         stack = thread["stackTable"]["prefix"][stack.get<std::size_t>()]) {
        const auto frame = thread["stackTable"]["frame"][stack.get<std::size_t>()];
        const auto function = thread["frameTable"]["func"][frame.get<std::size_t>()];
        const auto name = thread["funcTable"]["name"][function.get<std::size_t>()];
        names.push_back(thread["stringArray"][name.get<std::size_t>()]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"do_work", "g", "f<int, \"x\">", "main"}));
    for (const auto& lib : thread["resourceTable"]["lib"])
        EXPECT_LT(lib.get<std::size_t>(), file["libs"].size());
}

TEST(StacksCsv, OneRowForEachStack) {
    const auto from = weighted();
    const auto rows = base::parse_csv(stacks_csv(from.profile, from.naming));
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0][0], "event");
    EXPECT_EQ(rows[2],
              (std::vector<std::string>{"cpu-clock", "app", "7", "7", "kernel", "[kernel.kallsyms]",
                                        "do_work", "1", "2", "main;f<int, \"x\">;g;do_work"}));
}

}  // namespace
}  // namespace ringside::exports
