// Runs the declarative command cases of this folder; README.md describes their form.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

struct Line {
    std::string key;
    std::string value;
};

struct Case {
    std::string file;
    std::string name;
    std::vector<Line> lines;
};

std::string slurp(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::vector<Case> read_cases(const fs::path& path) {
    std::vector<Case> cases;
    const std::string text = slurp(path);
    for (const auto raw : base::split_lines(text)) {
        const auto line = base::trim(raw);
        if (line.empty() || line.front() == '#') continue;
        const auto blank = line.find(' ');
        const std::string key(line.substr(0, blank));
        const std::string value(blank == line.npos ? "" : base::trim(line.substr(blank)));
        if (key == "NAME") {
            cases.push_back({path.stem().string(), value, {}});
        } else if (!cases.empty()) {
            cases.back().lines.push_back({key, value});
        }
    }
    return cases;
}

// Words split at blanks; '...' keeps them together.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    bool begun = false;
    for (const char c : text) {
        if (c == '\'') {
            quoted = !quoted;
            begun = true;
        } else if (c == ' ' && !quoted) {
            if (begun) words.push_back(std::exchange(word, ""));
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun) words.push_back(word);
    return words;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

std::string type_name(const nlohmann::json& value) {
    return value.is_number() ? "number" : value.type_name();
}

class CaseTest : public ::testing::Test {
  public:
    explicit CaseTest(Case test_case) : case_(std::move(test_case)) {}

    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "ringside_caseXXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    void TestBody() override {
        for (const auto& [key, value] : case_.lines) {
            if (key != "NEEDS") continue;
            if (value == "root" && ::geteuid() != 0) GTEST_SKIP() << "not root";
            const std::string needed = value == "root" ? "" : expand(value);
            if (!needed.empty() && !fs::exists(needed)) GTEST_SKIP() << "no " << needed;
        }
        run();
        if (HasFatalFailure()) return;
        for (const auto& line : case_.lines) {
            SCOPED_TRACE(line.key + " " + line.value);
            expect(line.key, expand(line.value));
        }
        if (HasFailure()) {
            std::cout << "--- stdout\n"
                      << output_.stdout_text << "--- stderr\n"
                      << output_.stderr_text << "---\n";
        }
    }

  private:
    std::string expand(std::string text) const {
        replace_all(text, "%t", folder_);
        replace_all(text, "%T", RINGSIDE_TEST_PROGRAMS);
        replace_all(text, "%F", RINGSIDE_CASES "/../fixtures");
        return text;
    }

    void run() {
        std::vector<std::string> argv{"env"};
        int exit_code = 0;
        for (const auto& [key, value] : case_.lines) {
            if (key == "ENV") argv.push_back(expand(value));
            if (key == "EXIT") exit_code = std::stoi(value);
        }
        for (const auto& [key, value] : case_.lines) {
            if (key != "RUN") continue;
            for (auto& word : words_of(expand(value))) {
                argv.push_back(word == "ringside" ? RINGSIDE_COMMAND : word);
            }
        }
        auto output = base::run(argv, std::chrono::minutes(2));
        ASSERT_TRUE(output) << output.error().what;
        output_ = std::move(*output);
        EXPECT_EQ(output_.status.shell_code(), exit_code);
    }

    void expect(const std::string& key, const std::string& value) {
        const std::string& out = output_.stdout_text;
        const std::string& err = output_.stderr_text;
        if (key == "STDOUT_HAS") {
            EXPECT_TRUE(base::contains(out, value));
        } else if (key == "STDERR_HAS") {
            EXPECT_TRUE(base::contains(err, value));
        } else if (key == "STDOUT_LACKS") {
            EXPECT_FALSE(base::contains(out, value));
        } else if (key == "STDERR_LACKS") {
            EXPECT_FALSE(base::contains(err, value));
        } else if (key == "STDOUT_IS") {
            EXPECT_EQ(base::trim(out), value);
        } else if (key == "STDERR_IS") {
            EXPECT_EQ(base::trim(err), value);
        } else {
            expect_data(key, value);
        }
    }

    void expect_data(const std::string& key, const std::string& value) {
        const auto blank = value.find(' ');
        const std::string first = value.substr(0, blank);
        const std::string second(blank == value.npos ? "" : base::trim(value.substr(blank)));
        if (key == "JSON") {
            EXPECT_EQ(json_at(first), nlohmann::json::parse(second));
        } else if (key == "JSON_TYPE") {
            const auto allowed = base::split(second, '|');
            const std::string type = type_name(json_at(first));
            EXPECT_NE(std::find(allowed.begin(), allowed.end(), type), allowed.end()) << type;
        } else if (key == "FILE_HAS") {
            EXPECT_TRUE(base::contains(slurp(first), second));
        } else if (key == "NO_FILE") {
            EXPECT_FALSE(fs::exists(first));
        } else if (key != "RUN" && key != "ENV" && key != "EXIT" && key != "NEEDS") {
            ADD_FAILURE() << "unknown line";
        }
    }

    nlohmann::json json_at(const std::string& pointer) {
        const auto json = nlohmann::json::parse(output_.stdout_text, nullptr, false);
        if (json.is_discarded()) {
            ADD_FAILURE() << "stdout is not JSON";
            return {};
        }
        const nlohmann::json::json_pointer at(pointer);
        if (!json.contains(at)) {
            ADD_FAILURE() << pointer << " is not there";
            return {};
        }
        return json.at(at);
    }

    Case case_;
    std::string folder_;
    base::CommandOutput output_;
};

void register_cases() {
    for (const auto& entry : fs::directory_iterator(RINGSIDE_CASES)) {
        if (entry.path().extension() != ".case") continue;
        for (const auto& test_case : read_cases(entry.path())) {
            ::testing::RegisterTest(
                test_case.file.c_str(), test_case.name.c_str(), nullptr, nullptr, __FILE__,
                __LINE__, [test_case]() -> ::testing::Test* { return new CaseTest(test_case); });
        }
    }
}

}  // namespace
}  // namespace ringside::cli

int main(int argc, char** argv) {
    ringside::cli::register_cases();
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
