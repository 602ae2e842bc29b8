// The include rules of docs/architecture.md, checked on every source file, and checked to bite.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace ringside::architecture {
namespace {

namespace fs = std::filesystem;

using Rules = std::map<std::string, std::set<std::string>>;

std::string slurp(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

Rules read_rules(const fs::path& path) {
    Rules rules;
    const std::string text = slurp(path);
    for (const auto line : base::split_lines(text)) {
        const auto colon = line.find(':');
        if (line.empty() || line.front() == '#' || colon == std::string_view::npos) continue;
        auto& allowed = rules[std::string(line.substr(0, colon))];
        for (const auto room : base::split_words(line.substr(colon + 1))) allowed.emplace(room);
    }
    return rules;
}

std::vector<std::string> quoted_includes(const fs::path& file) {
    static const std::regex pattern("^\\s*#\\s*include\\s*\"([^\"]+)\"");
    std::vector<std::string> included;
    const std::string text = slurp(file);
    for (const auto line : base::split_lines(text)) {
        std::cmatch match;
        if (std::regex_search(line.data(), line.data() + line.size(), match, pattern)) {
            included.push_back(match[1]);
        }
    }
    return included;
}

// One sentence for each include line that breaks the rules.
std::vector<std::string> violations(const fs::path& src, const Rules& rules) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(src)) {
        const auto extension = entry.path().extension();
        if (extension != ".h" && extension != ".cpp") continue;
        const auto relative = fs::relative(entry.path(), src);
        const std::string room = relative.begin()->string();
        if (!rules.contains(room)) {
            found.push_back(relative.string() + ": the room has no line in include_rules.txt");
            continue;
        }
        for (const auto& header : quoted_includes(entry.path())) {
            const std::string other = fs::path(header).begin()->string();
            if (other == room || rules.at(room).contains(other)) continue;
            found.push_back(relative.string() + " includes " + header + ", but " + room +
                            " may not include " + other);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Public headers see the standard library and each other, nothing else. Those of PAPI's interface
// are C, and lie in one folder wherever they are copied to.
std::vector<std::string> public_violations(const fs::path& include) {
    static const std::regex cpp("^\\s*#\\s*include\\s*<(ringside/[a-z_/]+\\.h|[a-z_0-9]+)>\\s*$");
    static const std::regex c(
        "^\\s*#\\s*include\\s*(<(limits|signal|sys/types)\\.h>|\"papi[A-Za-z_]+\\.h\")\\s*$");
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(include)) {
        if (!entry.is_regular_file()) continue;
        const std::string text = slurp(entry.path());
        const std::regex& allowed = entry.path().parent_path().filename() == "papi" ? c : cpp;
        for (const auto line : base::split_lines(text)) {
            const bool is_include = base::contains(line, "#include") && line.front() == '#';
            if (is_include && !std::regex_match(line.begin(), line.end(), allowed)) {
                found.push_back(entry.path().filename().string() + ": " + std::string(line));
            }
        }
    }
    return found;
}

const fs::path source_dir = RINGSIDE_SOURCE_DIR;
const fs::path here = source_dir / "tests/architecture";

TEST(IncludeRules, TheHouseKeepsThem) {
    EXPECT_THAT(violations(source_dir / "src", read_rules(here / "include_rules.txt")),
                ::testing::IsEmpty());
}

TEST(IncludeRules, PublicHeadersIncludeOnlyTheStandardLibrary) {
    EXPECT_THAT(public_violations(source_dir / "include"), ::testing::IsEmpty());
}

TEST(IncludeRules, APlantedViolationIsFound) {
    EXPECT_THAT(violations(here / "planted/src", read_rules(here / "include_rules.txt")),
                ::testing::ElementsAre(
                    "attic/x.h: the room has no line in include_rules.txt",
                    "model/bad.h includes platform/machine.h, but model may not include platform"));
    EXPECT_THAT(public_violations(here / "planted/include"),
                ::testing::ElementsAre("bad.h: #include <fmt/format.h>"));
}

}  // namespace
}  // namespace ringside::architecture
