// What the tests of the soft PMU share: where things lie, the command and the plugin run to their
// end.
#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "soft/count_file.h"
#include "soft/run.h"
#include "tests/scratch.h"

namespace ringside::soft {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

inline const std::string build = RINGSIDE_BUILD;
inline const std::string bare = RINGSIDE_BARE;
inline const std::string plugin = build + "/softpmu/libringside-soft.so";
inline const std::string loop_program = build + "/workloads/counted_loop";
inline const std::string bare_x86 = bare + "/bare_x86_64";

inline bool has(const std::string& program) {
    return base::find_executable(program).has_value();
}

inline std::string folder(const std::string& name) {
    const std::string path = scratch::file(name);
    fs::create_directories(path);
    return path;
}

struct Stat {
    int exit_code = -1;
    std::map<std::string, double> values;
    std::map<std::string, std::string> verdicts;  // of those without a value: "dead: ..."
    std::string notes;
    std::string stderr_text;

    double at(const std::string& name) const {
        const auto found = values.find(name);
        return found == values.end() ? NAN : found->second;
    }
};

inline Stat stat(const Words& command,
                 const std::string& events = "instructions,branches,taken-branches") {
    Words words{build + "/ringside", "stat", "--soft", "--json", "-e", events, "--"};
    words.insert(words.end(), command.begin(), command.end());
    Stat result;
    const auto output = base::run(words);
    if (!output) return result;
    result.exit_code = output->status.shell_code();
    result.stderr_text = output->stderr_text;
    const auto json = nlohmann::json::parse(output->stdout_text, nullptr, false);
    if (!json.is_object()) return result;
    result.notes = json.at("notes").dump();
    for (const auto& event : json.at("events")) {
        EXPECT_TRUE(event.at("soft")) << event;
        const std::string state = event.at("state");
        if (state == "ok") {
            result.values[event.at("name")] = event.at("value");
        } else {
            EXPECT_TRUE(event.at("value").is_null()) << event;
            result.verdicts[event.at("name")] = state + ": " + event.value("reason", "");
        }
    }
    return result;
}

// Runs to its end under an emulator with the plugin.
inline base::CommandOutput emulate(const Words& emulator, const std::string& options,
                                   const Words& rest) {
    Words words = emulator;
    words.insert(words.end(), {"-plugin", plugin + "," + options});
    words.insert(words.end(), rest.begin(), rest.end());
    auto output = base::run(words);
    return output ? *output : base::CommandOutput();
}

inline CountFile only_file(const std::string& where) {
    const auto files = files_of_run(where);
    EXPECT_TRUE(files && files->size() == 1);
    auto file = CountFile::read(files->front());
    EXPECT_TRUE(file);
    return std::move(*file);
}

class SoftProgram : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("qemu-x86_64")) GTEST_SKIP() << "needs qemu-user";
    }
};
class SoftX86 : public SoftProgram {
  protected:
    void SetUp() override {
        SoftProgram::SetUp();
        if (!fs::exists(bare_x86)) GTEST_SKIP() << "needs an x86-64 compiler";
    }
};

}  // namespace ringside::soft
