// `vpmu_plant MUTANTS ENGINE PROOF FOLDER`: a copy of the engine in FOLDER/vpmu that has every
// fault of MUTANTS in it, each behind a test of one number, so that one program is all the mutants.
// Beside it unit.cpp, the engine and the proof as one translation unit, and mutant_names.h.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace {

namespace fs = std::filesystem;
using namespace ringside;

// The part of the text between these is replaced; the rest only says where it is.
constexpr std::string_view part_begins = "<<";
constexpr std::string_view part_ends = ">>";
// In a replacement, what is true in this mutant alone.
constexpr std::string_view planted = "PLANTED";

struct Mutant {
    std::string name;
    std::string file;
    std::string before;
    std::string after;
    std::string fails;
};

struct Replacement {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

std::string slurp(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// OLD and NEW run to the next key word, over several lines if need be.
std::vector<Mutant> read_mutants(const fs::path& path) {
    std::vector<Mutant> mutants;
    std::string* open = nullptr;
    const std::string text = slurp(path);
    for (const auto line : base::split_lines(text)) {
        const auto blank = line.find(' ');
        const std::string key(line.substr(0, blank));
        const std::string value(blank == line.npos ? "" : line.substr(blank + 1));
        if (key == "MUTANT") {
            mutants.push_back({value, "", "", "", ""});
            open = nullptr;
        } else if (key == "FILE") {
            mutants.back().file = value;
        } else if (key == "OLD" || key == "NEW") {
            open = key == "OLD" ? &mutants.back().before : &mutants.back().after;
            *open = value;
        } else if (key == "FAILS") {
            mutants.back().fails = value;
            open = nullptr;
        } else if (open != nullptr) {
            *open += "\n" + std::string(line);
        }
    }
    return mutants;
}

std::string replace_all(std::string text, std::string_view from, const std::string& to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Both texts, and a choice between them: of statements, or of expressions.
std::string choice(std::size_t number, const std::string& before, const std::string& after) {
    const std::string test = "(::ringside_mutant == " + std::to_string(number) + ")";
    if (base::contains(after, planted)) return replace_all(after, planted, test);
    const auto last = base::trim_end(before).back();
    const bool statements = last == ';' || last == '}';
    if (statements) return "if (" + test + ") { " + after + " } else { " + before + " }";
    return "(" + test + " ? (" + after + ") : (" + before + "))";
}

std::optional<Replacement> find_place(const Mutant& mutant, std::size_t number,
                                      const std::string& text) {
    const auto begins = mutant.before.find(part_begins);
    const auto ends = mutant.before.find(part_ends);
    const bool whole = begins == std::string::npos;
    std::string sought = mutant.before;
    if (!whole) sought.erase(ends, part_ends.size()).erase(begins, part_begins.size());
    const auto at = text.find(sought);
    if (at == text.npos || text.find(sought, at + 1) != text.npos) return std::nullopt;
    Replacement place{at, at + sought.size(), {}};
    if (!whole) place = {at + begins, at + ends - part_begins.size(), {}};
    place.text = choice(number, text.substr(place.begin, place.end - place.begin), mutant.after);
    return place;
}

// Every fault of this file, or the name of the one that does not fit.
std::optional<std::string> plant(const fs::path& file, const std::vector<Mutant>& mutants,
                                 const std::string& name) {
    const std::string text = slurp(file);
    std::map<std::size_t, Replacement> places;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        if (mutants[i].file != name) continue;
        const auto place = find_place(mutants[i], i + 1, text);
        if (!place) return mutants[i].name + ": OLD must occur exactly once in " + name;
        const auto next = places.lower_bound(place->begin);
        const bool apart = (next == places.end() || next->first >= place->end) &&
                           (next == places.begin() || std::prev(next)->second.end <= place->begin);
        if (!apart) return mutants[i].name + " changes what another mutant changes too";
        places.emplace(place->begin, *place);
    }
    std::string planted_text = "extern int ringside_mutant;\n";
    std::size_t from = 0;
    for (const auto& [begin, place] : places) {
        planted_text += text.substr(from, begin - from) + place.text;
        from = place.end;
    }
    std::ofstream(file) << planted_text + text.substr(from);
    return std::nullopt;
}

void write_unit(const fs::path& folder, const fs::path& proof) {
    std::ofstream out(folder / "unit.cpp");
    out << "#include <optional>\n";
    for (const fs::path& from : {folder / "vpmu", proof}) {
        for (const auto& entry : fs::directory_iterator(from)) {
            const fs::path& path = entry.path();
            const std::string stem = path.stem();
            const bool is_program = stem == "plant_mutants" || stem.ends_with("_main");
            if (path.extension() != ".cpp" || is_program) continue;
            out << "#include \"" << path.string() << "\"\n";
        }
    }
}

void write_names(const fs::path& file, const std::vector<Mutant>& mutants) {
    std::ofstream out(file);
    out << "struct MutantName { const char* name; const char* fails; };\n"
           "constexpr MutantName mutant_names[] = {\n";
    for (const Mutant& mutant : mutants) {
        out << "    {\"" << mutant.name << "\", \"" << mutant.fails << "\"},\n";
    }
    out << "};\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::printf("usage: vpmu_plant MUTANTS ENGINE PROOF FOLDER\n");
        return 2;
    }
    const fs::path folder = fs::absolute(argv[4]);
    const auto mutants = read_mutants(argv[1]);
    fs::remove_all(folder / "vpmu");
    fs::create_directories(folder);
    fs::copy(argv[2], folder / "vpmu", fs::copy_options::recursive);
    for (const auto& entry : fs::directory_iterator(folder / "vpmu")) {
        const auto name = entry.path().filename().string();
        if (const auto wrong = plant(entry.path(), mutants, name)) {
            std::printf("%s\n", wrong->c_str());
            return 1;
        }
    }
    for (const Mutant& mutant : mutants) {
        if (fs::exists(folder / "vpmu" / mutant.file)) continue;
        std::printf("%s: there is no %s\n", mutant.name.c_str(), mutant.file.c_str());
        return 1;
    }
    write_unit(folder, fs::absolute(argv[3]));
    write_names(folder / "mutant_names.h", mutants);
}
