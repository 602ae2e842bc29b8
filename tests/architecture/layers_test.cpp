// src/layers.txt against every #include of the house and against the table in docs/architecture.md.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "slurp.h"

namespace ringside::architecture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Layer {
    std::string module;
    std::vector<std::string> may_include;
};
using Layers = std::vector<Layer>;
using Faults = std::vector<std::string>;

const Layer* find(const Layers& layers, const std::string& module) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& one) { return one.module == module; });
    return found == layers.end() ? nullptr : &*found;
}

bool permits(const Layer& layer, const std::string& module) {
    const auto& all = layer.may_include;
    return std::find(all.begin(), all.end(), module) != all.end();
}

Layers read_layers(const fs::path& path) {
    Layers layers;
    const std::string text = slurp(path);
    for (const auto line : base::split_lines(text)) {
        const auto colon = line.find(':');
        if (line.empty() || line.front() == '#' || colon == std::string_view::npos) continue;
        layers.push_back({std::string(line.substr(0, colon)), {}});
        for (const auto module : base::split_words(line.substr(colon + 1))) {
            layers.back().may_include.emplace_back(module);
        }
    }
    return layers;
}

Faults order_faults(const Layers& layers) {
    Faults faults;
    std::set<std::string> above;
    for (const Layer& layer : layers) {
        for (const auto& module : layer.may_include) {
            if (above.contains(module)) continue;
            faults.push_back(layer.module + " names " + module + ", which is no module above it");
        }
        above.insert(layer.module);
    }
    return faults;
}

std::vector<std::string> quoted_includes(const fs::path& file) {
    static const std::regex pattern("^\\s*#\\s*include\\s*\"([^\"]+)\"");
    std::vector<std::string> included;
    const std::string text = slurp(file);
    for (const auto line : base::split_lines(text)) {
        if (!base::contains(line, "include")) continue;  // most lines, at a hundredth of the cost
        std::cmatch match;
        if (std::regex_search(line.data(), line.data() + line.size(), match, pattern)) {
            included.push_back(match[1]);
        }
    }
    return included;
}

struct Include {
    fs::path file;  // below the root
    std::string header;
    std::string from;  // modules
    std::string to;
};

// All #include lines of one folder that name another module's header; `module` is empty where each
// folder below is one.
void collect(const fs::path& root, const fs::path& folder, const std::string& module,
             std::vector<Include>& into) {
    static const std::set<std::string> languages{".h", ".cpp", ".c", ".S"};
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!languages.contains(entry.path().extension().string())) continue;
        const std::string from =
            module.empty() ? fs::relative(entry.path(), folder).begin()->string() : module;
        const fs::path file = fs::relative(entry.path(), root);
        into.push_back({file, "", from, from});
        for (const auto& header : quoted_includes(entry.path())) {
            if (fs::exists(entry.path().parent_path() / header)) continue;  // beside it
            into.push_back({file, header, from, fs::path(header).begin()->string()});
        }
    }
}

// One sentence for each line that breaks the rules, and for each rule that no line needs.
Faults include_faults(const fs::path& root, const Layers& layers) {
    std::vector<Include> includes;
    collect(root, root / "src", "", includes);
    for (const Layer& layer : layers) {
        const bool is_beside = !fs::exists(root / "src" / layer.module);
        if (is_beside && fs::exists(root / layer.module)) {
            collect(root, root / layer.module, layer.module, includes);
        }
    }
    std::set<std::string> faults;
    std::map<std::string, std::set<std::string>> used;
    for (const Include& one : includes) {
        const Layer* layer = find(layers, one.from);
        used[one.from].insert(one.to);
        if (layer == nullptr) {
            faults.insert(one.file.string() + ": " + one.from + " has no line in src/layers.txt");
        } else if (one.to != one.from && !permits(*layer, one.to)) {
            faults.insert(one.file.string() + " includes " + one.header + ", but " + one.from +
                          " may not include " + one.to);
        }
    }
    for (const Layer& layer : layers) {
        if (!used.contains(layer.module)) faults.insert(layer.module + " has no file");
        for (const auto& module : layer.may_include) {
            if (used[layer.module].contains(module)) continue;
            faults.insert(layer.module + " may include " + module + ", and never does");
        }
    }
    return {faults.begin(), faults.end()};
}

// Rows "| `src/base/` | what it is for | abi, model |": each module has one, which says what
// layers.txt does; folders that are no module say nothing.
Faults table_faults(const std::string& text, const Layers& layers) {
    static const std::regex row("\\| `(src/)?([a-z_]+)/` \\|.*\\| ?([^|]*?) ?\\|");
    std::map<std::string, unsigned> rows;
    Faults faults;
    for (const auto line : base::split_lines(text)) {
        std::cmatch match;
        if (!std::regex_match(line.data(), line.data() + line.size(), match, row)) continue;
        const Layer* layer = find(layers, match[2]);
        std::string expected;
        if (layer != nullptr) {
            expected = fmt::format("{}", fmt::join(layer->may_include, ", "));
            if (expected.empty()) expected = "nothing";
            ++rows[layer->module];
        }
        if (match[3] != expected) {
            faults.push_back(fmt::format("{} says \"{}\" instead of \"{}\"", match[2].str(),
                                         match[3].str(), expected));
        }
    }
    for (const Layer& layer : layers) {
        const unsigned count = rows[layer.module];
        if (count != 1) faults.push_back(fmt::format("{} has {} rows", layer.module, count));
    }
    return faults;
}

// Public headers see the standard library and each other, nothing else. Those of PAPI's interface
// are C, and lie in one folder wherever they are copied to.
Faults public_faults(const fs::path& include) {
    static const std::regex cpp("^\\s*#\\s*include\\s*<(ringside/[a-z_/]+\\.h|[a-z_0-9]+)>\\s*$");
    static const std::regex c(
        "^\\s*#\\s*include\\s*(<(limits|signal|sys/types)\\.h>|\"papi[A-Za-z_]+\\.h\")\\s*$");
    Faults found;
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

const fs::path house = RINGSIDE_SOURCE_DIR;
const fs::path planted = house / "tests/architecture/planted";

TEST(Layers, LinesNameOnlyModulesAboveThem) {
    EXPECT_THAT(order_faults(read_layers(house / "src/layers.txt")), IsEmpty());
}

TEST(Layers, IncludesAreThoseThatArePermitted) {
    EXPECT_THAT(include_faults(house, read_layers(house / "src/layers.txt")), IsEmpty());
}

TEST(Layers, TheTableInTheDocsSaysTheSame) {
    EXPECT_THAT(
        table_faults(slurp(house / "docs/architecture.md"), read_layers(house / "src/layers.txt")),
        IsEmpty());
}

TEST(Layers, PublicHeadersIncludeOnlyTheStandardLibrary) {
    EXPECT_THAT(public_faults(house / "include"), IsEmpty());
}

TEST(Layers, PlantedFaultsAreFound) {
    const Layers layers = read_layers(planted / "src/layers.txt");
    EXPECT_THAT(order_faults(layers),
                ElementsAre("events names analysis, which is no module above it"));
    EXPECT_THAT(
        include_faults(planted, layers),
        ElementsAre(
            "analysis has no file",
            "hyp/vectors.S includes driver/page.h, but hyp may not include driver",
            "platform may include model, and never does",
            "src/attic/x.h: attic has no line in src/layers.txt",
            "src/events/traced.bpf.c includes model/layout.h, but events may not include model",
            "src/model/bad.h includes platform/machine.h, but model may not include platform"));
    EXPECT_THAT(public_faults(planted / "include"), ElementsAre("bad.h: #include <fmt/format.h>"));
}

TEST(Layers, PlantedFaultsOfTheTableAreFound) {
    const Layers layers{{"base", {}}, {"model", {"base"}}, {"hyp", {"base", "model"}}};
    EXPECT_THAT(table_faults("| `src/base/` | text | nothing |\n"
                             "| `src/model/` | structs | base |\n"
                             "| `hyp/` | a hypervisor | base, model |\n"
                             "| `data/` | tables | |\n",
                             layers),
                IsEmpty());
    EXPECT_THAT(
        table_faults("| `src/model/` | structs | all |\n"
                     "| `src/model/` | structs again | base |\n"
                     "| `hyp/` | a hypervisor | base, model |\n"
                     "| `data/` | tables | base |\n",
                     layers),
        ElementsAre("model says \"all\" instead of \"base\"", "data says \"base\" instead of \"\"",
                    "base has 0 rows", "model has 2 rows"));
}

}  // namespace
}  // namespace ringside::architecture
