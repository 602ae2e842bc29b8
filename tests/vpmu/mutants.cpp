// `vpmu_mutants FILE NAME`: plants one fault of mutants.txt into a copy of the engine, builds the
// proof with it, and succeeds if the proof names a promise that the fault breaks.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace {

namespace fs = std::filesystem;
using namespace ringside;

struct Mutant {
    std::string name;
    std::string file;
    std::string before;
    std::string after;
    std::vector<std::string> fails;
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
            mutants.push_back({value, "", "", "", {}});
            open = nullptr;
        } else if (key == "FILE") {
            mutants.back().file = value;
        } else if (key == "OLD" || key == "NEW") {
            open = key == "OLD" ? &mutants.back().before : &mutants.back().after;
            *open = value;
        } else if (key == "FAILS") {
            for (const auto word : base::split_words(value))
                mutants.back().fails.emplace_back(word);
            open = nullptr;
        } else if (open != nullptr) {
            *open += "\n" + std::string(line);
        }
    }
    return mutants;
}

bool plant(const Mutant& mutant, const fs::path& engine) {
    std::string text = slurp(engine / mutant.file);
    const auto at = text.find(mutant.before);
    if (at == text.npos || text.find(mutant.before, at + 1) != text.npos) {
        std::printf("%s: OLD must occur exactly once in %s\n", mutant.name.c_str(),
                    mutant.file.c_str());
        return false;
    }
    text.replace(at, mutant.before.size(), mutant.after);
    std::ofstream(engine / mutant.file) << text;
    return true;
}

// One translation unit for the whole engine builds fastest.
void write_unit(const fs::path& unit, const fs::path& folder, const fs::path& proof) {
    std::ofstream out(unit);
    for (const fs::path& from : {folder / "vpmu", proof}) {
        for (const auto& entry : fs::directory_iterator(from)) {
            if (entry.path().extension() != ".cpp" || entry.path().stem() == "mutants") continue;
            out << "#include \"" << entry.path().string() << "\"\n";
        }
    }
}

int judge(const Mutant& mutant, const std::string& output) {
    for (const std::string& name : mutant.fails) {
        if (!base::contains(output, "broken: " + name + " ")) continue;
        std::printf("%s: found, %s", mutant.name.c_str(), output.c_str());
        return 0;
    }
    std::printf("%s: NOT FOUND, the proof said: %s\n", mutant.name.c_str(), output.c_str());
    return 1;
}

int run(const Mutant& mutant, const fs::path& folder) {
    const fs::path source = RINGSIDE_SOURCE_DIR;
    const fs::path proof = source / "tests/vpmu";
    fs::copy(source / "src/vpmu", folder / "vpmu", fs::copy_options::recursive);
    if (!plant(mutant, folder / "vpmu")) return 1;
    write_unit(folder / "unit.cpp", folder, proof);
    const std::string program = folder / "proof";
    const auto built = base::run({RINGSIDE_CXX, "-std=c++20", "-O1", "-w", "-I" + folder.string(),
                                  "-I" + (source / "src").string(), "-I" + proof.string(),
                                  folder / "unit.cpp", RINGSIDE_LAB_LIBRARY, "-o", program},
                                 std::chrono::minutes(5));
    if (!built || built->status.shell_code() != 0) {
        std::printf("%s: does not build\n%s\n", mutant.name.c_str(),
                    built ? built->stderr_text.c_str() : built.error().what.c_str());
        return 1;
    }
    const auto output = base::run({program, "1000000"}, std::chrono::minutes(5));
    if (!output) {
        std::printf("%s: %s\n", mutant.name.c_str(), output.error().what.c_str());
        return 1;
    }
    return judge(mutant, output->stdout_text);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::printf("usage: vpmu_mutants FILE NAME\n");
        return 2;
    }
    std::string folder = (fs::temp_directory_path() / "vpmu_mutantXXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 2;
    int result = 2;
    for (const Mutant& mutant : read_mutants(argv[1])) {
        if (mutant.name == argv[2]) result = run(mutant, folder);
    }
    fs::remove_all(folder);
    return result;
}
