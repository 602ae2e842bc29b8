#include "cli/compare_input.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/read_file.h"
#include "base/text.h"
#include "compare/csv_table.h"
#include "compare/joined_table.h"
#include "compare/perf_text.h"
#include "measure/profile.h"
#include "run/folder.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using run::Side;

Error in_file(const fs::path& file, Error error) {
    error.what = file.string() + ": " + error.what;
    return error;
}

Result<Side> read_recording(const fs::path& file, bool with_stacks) {
    const auto flat = measure::load_flat_profile(file.string(), with_stacks);
    if (!flat) return in_file(file, flat.error());
    Side side;
    measure::add_profile(*flat, false, side.runs.emplace_back());
    const perf::Origin& origin = flat->profile.origin;
    side.environment.kernel = origin.os_release;
    side.environment.cpu = origin.cpu_description;
    if (origin.cpus_online > 0) side.environment.cpus = static_cast<int>(origin.cpus_online);
    if (origin.memory_kb > 0) {
        side.environment.memory_bytes = static_cast<double>(origin.memory_kb) * 1024;
    }
    side.build_ids = measure::build_ids_of(*flat);
    side.notes = flat->profile.warnings;
    return side;
}

Result<Side> read_text(const fs::path& file, const std::string& content) {
    Side side;
    if (compare::looks_like_perf_report(content)) {
        auto report = compare::parse_perf_report(content);
        if (!report) return in_file(file, report.error());
        side.runs.push_back(std::move(report->run));
        side.environment = std::move(report->environment);
        return side;
    }
    auto runs = compare::parse_csv_table(content);
    if (!runs) return in_file(file, runs.error());
    side.runs = std::move(*runs);
    return side;
}

// All sides of a table that was joined before; none if it is no such file.
Result<std::vector<Side>> read_joined(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::vector<Side>();
    const auto content = base::read_file(path);
    if (!content) return content.error();
    if (!compare::looks_like_joined_table(*content)) return std::vector<Side>();
    auto sides = compare::parse_joined_table(*content);
    if (!sides) return in_file(path, sides.error());
    return sides;
}

Result<Side> read_path(const fs::path& path, bool with_stacks) {
    std::error_code error;
    if (fs::is_directory(path, error)) return run::read_folder(path.string());
    const auto content = base::read_file(path);
    if (!content) return content.error();
    if (content->starts_with("PERFILE2") || content->starts_with("2ELIFREP")) {
        return read_recording(path, with_stacks);
    }
    return read_text(path, *content);
}

// The folders of sides below a folder that holds nothing else of ours.
std::vector<fs::path> side_folders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    if (!fs::is_directory(folder, error) || run::is_folder(folder.string())) return found;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (run::is_folder(entry.path().string())) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Another repeat of the same side.
void append(Side& side, Side more) {
    std::move(more.runs.begin(), more.runs.end(), std::back_inserter(side.runs));
    std::move(more.notes.begin(), more.notes.end(), std::back_inserter(side.notes));
}

Result<Side> read_repeats(const std::vector<std::string>& paths, bool with_stacks) {
    auto side = read_path(paths.front(), with_stacks);
    if (!side) return side;
    for (std::size_t i = 1; i < paths.size(); ++i) {
        auto more = read_path(paths[i], with_stacks);
        if (!more) return more;
        append(*side, std::move(*more));
    }
    return side;
}

std::string plain_name(const std::string& path) {
    fs::path plain(path);
    if (!plain.has_filename()) plain = plain.parent_path();
    return plain.stem().string();
}

}  // namespace

Result<std::vector<Side>> read_sides(const std::string& text, bool with_stacks) {
    std::error_code error;
    std::string name;
    std::string rest = text;
    const auto equals = text.find('=');
    if (!fs::exists(text, error) && equals != std::string::npos) {
        name = text.substr(0, equals);
        rest = text.substr(equals + 1);
    }
    std::vector<Side> sides;
    for (const auto& folder : side_folders(rest)) {
        auto side = run::read_folder(folder.string());
        if (!side) return side.error();
        sides.push_back(std::move(*side));
    }
    if (sides.empty()) {
        auto joined = read_joined(rest);
        if (!joined) return joined.error();
        sides = std::move(*joined);
        if (sides.size() == 1 && !name.empty()) sides.front().name = name;
    }
    if (!sides.empty()) return sides;
    std::vector<std::string> paths{rest};
    if (!fs::exists(rest, error)) {
        paths.clear();
        for (const auto path : base::split(rest, ',')) paths.emplace_back(path);
    }
    auto side = read_repeats(paths, with_stacks);
    if (!side) return side.error();
    if (!name.empty()) side->name = name;
    if (side->name.empty()) side->name = plain_name(paths.front());
    sides.push_back(std::move(*side));
    return sides;
}

}  // namespace ringside::cli
