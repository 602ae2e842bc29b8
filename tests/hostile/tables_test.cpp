// What `compare`, `report` and `lab` are given besides recordings: tables, texts of other tools,
// runs of other machines, scenarios, a kernel's symbols.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../data_builder.h"
#include "../scratch.h"
#include "run.h"

namespace ringside::hostile {
namespace {

namespace fs = std::filesystem;
using builders::DataBuilder;

// `line(i)` until the file is as large as it may be.
template <typename Line>
std::string filled_with(std::string head, const Line& line) {
    for (std::size_t i = 0;; ++i) {
        const std::string next = line(i);
        if (head.size() + next.size() > most_bytes) return head;
        head += next;
    }
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

void write(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

// As text, for programs, and as a page, in which every chart and flame graph is.
void expect_bounded(const std::string& path) {
    const std::string page = scratch::file("page.html");
    for (const auto& form :
         std::vector<std::vector<std::string>>{{"--top", "0"}, {"--json"}, {"-o", page}}) {
        std::vector<std::string> words{"compare"};
        words.insert(words.end(), form.begin(), form.end());
        words.insert(words.end(), {"a=" + path, "b=" + path});
        const Ended ended = run_bounded(words);
        const std::string& what = form.front();
        EXPECT_EQ(ended.signal, 0) << what;
        EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 125) << what << ended.exit_code;
        EXPECT_TRUE(ended.exit_code == 0 || ended.err.find("ringside:") != std::string::npos)
            << what << ended.err;
    }
}

// ---- the text of perf report

constexpr const char* perf_head =
    "# Samples: 1K of event 'cycles'\n# Event count (approx.): 1000\n";

std::string perf_table(const std::string& rows) {
    return std::string(perf_head) +
           "# Overhead  Samples  Shared Object  Symbol\n# ........  .......  .............  "
           "......\n" +
           rows;
}

std::string columns_without_end() {
    const std::string head =
        std::string(perf_head) + "# Overhead\n# .. " + repeated(". ", 400'000) + "\n";
    return filled_with(head, [](std::size_t) { return "1%\n"; });
}

std::string titles_without_end() {
    const std::string head =
        std::string(perf_head) + "# Overhead" + repeated("  t", 200'000) + "\n# ...\n";
    return filled_with(head, [](std::size_t) { return "1%\n"; });
}

std::string one_name_of_a_megabyte() {
    return filled_with(perf_table("1%  1  a.out  [.] " + std::string(1'000'000, 'n') + "\n"),
                       [](std::size_t i) { return fmt::format("1%  1  a.out  [.] f{}\n", i); });
}

std::string modules_of_a_megabyte() {
    return perf_table("1%  1  " + std::string(900'000, 'm') + "  [.] f\n1%  1  " +
                      std::string(900'000, 'n') + "  [.] f\n");
}

std::string events_of_perf_without_end() {
    return filled_with("", [](std::size_t i) {
        return fmt::format(
            "# Samples: 1 of event 'e{}'\n# Overhead  Samples  Shared Object  Symbol\n# ..  ..  .. "
            " "
            "..\n1%  1  a  [.] f\n",
            i);
    });
}

std::string numbers_that_are_none() {
    return perf_table(
        "nan%  1  a  [.] f\ninf%  1  a  [.] g\n1e308%  1  a  [.] h\n1e308%  1e308  a  [.] i\n"
        "-5%  -7  a  [.] j\n99999999999999999999%  1  a  [.] k\n1e-320%  1  a  [.] l\n");
}

std::string names_that_are_obeyed() {
    return perf_table(
        "50%  1  \x1b]0;x\x07  [.] \x1b[2J\xe2\x80\xae\xc2\x9b\n50%  1  =cmd|' /C calc'!A0  [.] "
        "=HYPERLINK(\"x\")\n");
}

// ---- tables

std::string columns_of_csv_without_end() {
    std::string head = "event,value";
    for (std::size_t i = 0; i < 150'000; ++i) head += fmt::format(",c{}", i);
    return filled_with(head + "\n", [](std::size_t) { return "cycles,1\n"; });
}

std::string rows_of_nothing_but_commas() {
    return filled_with("event,value,symbol\n",
                       [](std::size_t) { return "cycles,1" + std::string(1000, ',') + "\n"; });
}

std::string runs_without_end() {
    return filled_with("event,run,value\n",
                       [](std::size_t i) { return fmt::format("c,{},1\n", i); });
}

std::string events_without_end() {
    return filled_with("event,symbol,dso,value\n",
                       [](std::size_t i) { return fmt::format("e{},f,a,1\n", i); });
}

std::string counts_without_end() {
    return filled_with("event,value\n", [](std::size_t i) { return fmt::format("e{},1\n", i); });
}

std::string functions_without_end() {
    return filled_with("event,symbol,dso,value\n",
                       [](std::size_t i) { return fmt::format("c,f{},a,1\n", i); });
}

std::string modules_without_end() {
    return filled_with("event,symbol,dso,value\n",
                       [](std::size_t i) { return fmt::format("c,0x{0:x},m{0},1\n", i); });
}

std::string a_quote_without_end() {
    return "event,value\n\"" + std::string(most_bytes - 100, '"');
}

std::string sides_without_end() {
    std::string head = "event,unit,symbol,dso,mode,resolved,per";
    std::string row = "c,,f,a,user,1,run";
    for (std::size_t i = 0; head.size() + row.size() < most_bytes - 100; ++i) {
        head += fmt::format(",s{0}_values,s{0}_state", i);
        row += ",1,ok";
    }
    return head + "\n" + row + "\n";
}

std::string runs_of_every_row() {
    std::string many = "1";
    for (int i = 1; i < 1000; ++i) many += " 1";
    return filled_with(
        "event,unit,symbol,dso,mode,resolved,per,s_values,s_state\nc,,f,a,user,1,run," + many +
            ",ok\n",
        [](std::size_t i) { return fmt::format("c,,f{},a,user,1,run,,absent\n", i); });
}

std::vector<Shape> tables() {
    return {
        {"columns_without_end", columns_without_end},
        {"titles_without_end", titles_without_end},
        {"one_name_of_a_megabyte", one_name_of_a_megabyte},
        {"modules_of_a_megabyte", modules_of_a_megabyte},
        {"events_of_perf_without_end", events_of_perf_without_end},
        {"numbers_that_are_none", numbers_that_are_none},
        {"names_that_are_obeyed", names_that_are_obeyed},
        {"columns_of_csv_without_end", columns_of_csv_without_end},
        {"rows_of_nothing_but_commas", rows_of_nothing_but_commas},
        {"runs_without_end", runs_without_end},
        {"events_without_end", events_without_end},
        {"counts_without_end", counts_without_end},
        {"functions_without_end", functions_without_end},
        {"modules_without_end", modules_without_end},
        {"a_quote_without_end", a_quote_without_end},
        {"sides_without_end", sides_without_end},
        {"runs_of_every_row", runs_of_every_row},
    };
}

class HostileTable : public ::testing::TestWithParam<Shape> {};

TEST_P(HostileTable, IsComparedWithinItsBounds) {
    const std::string file = scratch::file("table.txt");
    const std::string bytes = GetParam().bytes();
    ASSERT_LE(bytes.size(), most_bytes);
    write(file, bytes);
    expect_bounded(file);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileTable, ::testing::ValuesIn(tables()),
                         [](const auto& each) { return std::string(each.param.name); });

// ---- runs: one file of a sound run is of this shape

struct RunShape {
    const char* name;
    const char* file;
    std::function<std::string()> bytes;
};
void PrintTo(const RunShape& shape, std::ostream* out) {
    *out << shape.name;
}

std::string list_of(std::string_view head, const std::function<std::string(std::size_t)>& element,
                    std::string_view tail) {
    std::string all(head);
    for (std::size_t i = 0;; ++i) {
        const std::string next = (i == 0 ? "" : ",") + element(i);
        if (all.size() + next.size() + tail.size() > most_bytes) return all + std::string(tail);
        all += next;
    }
}

constexpr const char* stat_head =
    R"({"schema":"ringside.stat/1","exit_code":0,"time":{"wall_ns":1},"events":[)";
constexpr const char* report_head = R"({"schema":"ringside.report/1","events":[)";
constexpr const char* stacks_head =
    R"({"schema":"ringside.stacks/1","trees":[{"event":"cpu-clock","unit":"ns","frames":[["f","a","user"]],"nodes":[)";
constexpr const char* side_head =
    R"({"schema":"ringside.run/1","name":"s","kind":"native","runs":1)";

std::vector<RunShape> runs() {
    return {
        {"counts_without_end", "1/stat.json",
         [] {
             return list_of(
                 stat_head,
                 [](std::size_t i) {
                     return fmt::format(R"({{"name":"e{}","value":1,"state":"ok"}})", i);
                 },
                 "]}");
         }},
        {"times_without_end", "1/stat.json",
         [] {
             return list_of(R"({"schema":"ringside.stat/1","events":[],"time":{)",
                            [](std::size_t i) { return fmt::format(R"("t{}_ns":1)", i); }, "}}");
         }},
        {"numbers_beyond_all", "1/stat.json",
         [] {
             return std::string(stat_head) +
                    R"({"name":"a","value":1e308,"state":"ok"},{"name":"b","value":-1e308,"state":"ok"},)"
                    R"({"name":"c","value":1e-320,"state":"ok","running_ratio":0},)"
                    R"({"name":"d","value":1,"state":"ok","running_ratio":-1e308}]})";
         }},
        {"events_sampled_without_end", "1/report.json",
         [] {
             return list_of(
                 report_head,
                 [](std::size_t i) {
                     return fmt::format(
                         R"({{"name":"e{}","samples":1,"rows":[{{"symbol":"f","dso":"a","period":1}}]}})",
                         i);
                 },
                 "]}");
         }},
        {"functions_without_end", "1/report.json",
         [] {
             return list_of(
                 std::string(report_head) + R"({"name":"cpu-clock","samples":1,"rows":[)",
                 [](std::size_t i) {
                     return fmt::format(
                         R"({{"symbol":"f{0}","dso":"m{0}","mode":"user","period":{0}}})", i);
                 },
                 "]}]}");
         }},
        {"a_tower_of_frames", "1/stacks.json",
         [] {
             return list_of(
                 stacks_head,
                 [](std::size_t i) { return fmt::format("[{},0,1]", i == 0 ? 0 : i - 1); }, "]}]}");
         }},
        {"frames_side_by_side", "1/stacks.json",
         [] {
             return list_of(
                 stacks_head, [](std::size_t) { return std::string("[0,0,1]"); }, "]}]}");
         }},
        {"weights_beyond_all", "1/stacks.json",
         [] {
             return list_of(
                 stacks_head, [](std::size_t i) { return fmt::format("[{},0,1e308]", i / 2); },
                 "]}]}");
         }},
        {"trees_without_end", "1/stacks.json",
         [] {
             return list_of(
                 R"({"schema":"ringside.stacks/1","trees":[)",
                 [](std::size_t i) {
                     return fmt::format(
                         R"({{"event":"e{}","unit":"","frames":[["f","a","user"]],"nodes":[[0,0,0],[0,0,1]]}})",
                         i);
                 },
                 "]}");
         }},
        {"intervals_without_end", "1/intervals.jsonl",
         [] {
             return filled_with("", [](std::size_t i) {
                 return fmt::format(
                     "{{\"schema\":\"ringside.stat.interval/"
                     "1\",\"at_s\":{},\"time\":{{\"user_ns\":1}},"
                     "\"events\":[{{\"name\":\"e\",\"value\":1,\"state\":\"ok\"}}]}}\n",
                     i);
             });
         }},
        {"intervals_of_other_events", "1/intervals.jsonl",
         [] {
             return filled_with("", [](std::size_t i) {
                 return fmt::format(
                     "{{\"schema\":\"ringside.stat.interval/1\",\"at_s\":1e{},\"time\":{{}},"
                     "\"events\":[{{\"name\":\"e{}\",\"value\":1e308,\"state\":\"ok\"}}]}}\n",
                     i % 309, i);
             });
         }},
        {"exits_without_end", "exits.json",
         [] {
             return list_of(R"({"schema":"ringside.kvm-stat/1","machines":[{"exits":1,"reasons":[)",
                            [](std::size_t i) {
                                return fmt::format(R"({{"name":"r{}","count":1,"total_ns":1e308}})",
                                                   i);
                            },
                            "]}]}");
         }},
        {"notes_without_end", "side.json",
         [] {
             return list_of(
                 std::string(side_head) + R"(,"notes":[)",
                 [](std::size_t i) { return fmt::format("\"n{}\"", i); }, "]}");
         }},
        {"a_name_of_a_megabyte", "side.json",
         [] {
             return R"({"schema":"ringside.run/1","kind":"native","runs":1,"name":")" +
                    std::string(1'500'000, 'n') + "\"}";
         }},
        {"build_ids_without_end", "side.json",
         [] {
             return list_of(
                 std::string(side_head) + R"(,"build_ids":{)",
                 [](std::size_t i) { return fmt::format(R"("m{}":"0")", i); }, "}}");
         }},
        {"more_runs_than_there_are", "side.json",
         [] {
             return std::string(
                 R"({"schema":"ringside.run/1","name":"s","kind":"native","runs":2000000000})");
         }},
        {"keys_twice_without_end", "side.json",
         [] {
             return list_of(
                 "{", [](std::size_t) { return std::string(R"("schema":"ringside.run/1")"); }, "}");
         }},
    };
}

class HostileRun : public ::testing::TestWithParam<RunShape> {};

TEST_P(HostileRun, IsComparedWithinItsBounds) {
    const fs::path folder = scratch::file("run");
    fs::remove_all(folder);
    fs::create_directories(folder / "1");
    write(folder / "side.json", std::string(side_head) + "}");
    write(folder / "1/stat.json", std::string(stat_head) + "]}");
    write(folder / "1/report.json", std::string(report_head) + "]}");
    const std::string bytes = GetParam().bytes();
    ASSERT_LE(bytes.size(), most_bytes);
    write(folder / GetParam().file, bytes);
    expect_bounded(folder.string());
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileRun, ::testing::ValuesIn(runs()),
                         [](const auto& each) { return std::string(each.param.name); });

// ---- symbols of a kernel

std::vector<Shape> kernels() {
    return {
        {"one_name_without_end",
         [] { return "ffffffff81000000 T " + std::string(1'900'000, 'n'); }},
        {"names_at_one_place",
         [] {
             return filled_with(
                 "", [](std::size_t i) { return fmt::format("ffffffff81000000 T f{}\n", i); });
         }},
        {"places_downwards",
         [] {
             return filled_with("", [](std::size_t i) {
                 return fmt::format("{:x} T f\n", 0xffffffff82000000 - i);
             });
         }},
        {"lines_of_nothing", [] { return std::string(1'900'000, '\n'); }},
        {"names_that_are_obeyed",
         [] { return std::string("ffffffff81000000 T \x1b[2J\xe2\x80\xae\t[m]\n"); }},
    };
}

class HostileKernel : public ::testing::TestWithParam<Shape> {};

TEST_P(HostileKernel, IsReadWithinItsBounds) {
    const std::string symbols = scratch::file("kallsyms");
    write(symbols, GetParam().bytes());
    DataBuilder builder;
    builder.comm(7, 7, 1, "app");
    for (std::uint64_t i = 0; i < 3000; ++i) builder.sample(7, 2, 0xffffffff81000000 + i * 16);
    const std::string data = scratch::file("kernel.data");
    DataBuilder::write(data, builder.file());
    for (const char* form : {"--json", "--csv", "--call-graph"}) {
        expect_harmless(run_bounded({"report", "-i", data, "--kallsyms", symbols, form}), form);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileKernel, ::testing::ValuesIn(kernels()),
                         [](const auto& each) { return std::string(each.param.name); });

// ---- scenarios

std::vector<Shape> scenarios() {
    return {
        {"lists_in_lists", [] { return "a = " + std::string(1'900'000, '['); }},
        {"tables_in_tables", [] { return "a = " + repeated("{a=", 600'000); }},
        {"a_key_of_many_parts", [] { return repeated("a.", 900'000) + "a = 1"; }},
        {"a_table_of_many_parts", [] { return "[" + repeated("a.", 900'000) + "a]"; }},
        {"many_keys_of_many_parts",
         [] {
             return filled_with("", [](std::size_t i) {
                 return fmt::format("k{}.{}a = 1\n", i, repeated("a.", 200));
             });
         }},
        {"keys_without_end",
         [] { return filled_with("", [](std::size_t i) { return fmt::format("k{} = 1\n", i); }); }},
        {"a_text_without_end", [] { return "title = \"" + std::string(1'900'000, 'x'); }},
        {"a_title_that_is_obeyed", [] { return std::string("title = \"\\u001b[2J\"\n[[vm]]\n"); }},
        {"machines_without_end",
         [] { return filled_with("", [](std::size_t) { return std::string("[[vm]]\n"); }); }},
        {"threads_without_end",
         [] {
             return filled_with("duration_ms = 1\n[[vm]]\n",
                                [](std::size_t) { return std::string("[[vm.thread]]\n"); });
         }},
    };
}

class HostileScenario : public ::testing::TestWithParam<Shape> {};

TEST_P(HostileScenario, IsReadWithinItsBounds) {
    const std::string file = scratch::file("scenario.toml");
    const std::string bytes = GetParam().bytes();
    ASSERT_LE(bytes.size(), most_bytes);
    write(file, bytes);
    expect_harmless(run_bounded({"lab", "run", file}), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileScenario, ::testing::ValuesIn(scenarios()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace ringside::hostile
