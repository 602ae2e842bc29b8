#include "cli/compare_input.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/flat_profile.h"
#include "cli/run_folder.h"
#include "compare/csv_table.h"
#include "compare/joined_table.h"
#include "compare/perf_text.h"
#include "guest/files.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using compare::Run;
using compare::Side;

Error in_file(const fs::path& file, Error error) {
    error.what = file.string() + ": " + error.what;
    return error;
}

Result<Side> read_recording(const fs::path& file, bool with_stacks) {
    const auto flat = load_flat_profile(file.string(), with_stacks);
    if (!flat) return in_file(file, flat.error());
    Side side;
    Run& run = side.runs.emplace_back();
    for (const auto& event : flat->rows) {
        const auto& totals = flat->profile.events[event.event];
        run.sampled.push_back({totals.name, totals.in_ns ? "ns" : "",
                               static_cast<double>(totals.samples),
                               static_cast<double>(totals.lost)});
        for (const auto& row : event.rows) {
            const auto& function = flat->naming.functions[row.function];
            run.hits.push_back({totals.name, function.module, function.name,
                                function.mode == perf::CpuMode::kernel ||
                                    function.mode == perf::CpuMode::guest_kernel,
                                function.resolved, static_cast<double>(row.period),
                                static_cast<double>(row.samples)});
        }
    }
    run.stacks = flat->stacks;
    const perf::Origin& origin = flat->profile.origin;
    side.environment.kernel = origin.os_release;
    side.environment.cpu = origin.cpu_description;
    if (origin.cpus_online > 0) side.environment.cpus = static_cast<int>(origin.cpus_online);
    if (origin.memory_kb > 0) {
        side.environment.memory_bytes = static_cast<double>(origin.memory_kb) * 1024;
    }
    for (const auto& module : flat->profile.world->modules()) {
        if (!module.build_id.empty()) side.build_ids[module.short_name()] = module.build_id;
    }
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
    const auto content = guest::read_file(path);
    if (!content) return content.error();
    if (!compare::looks_like_joined_table(*content)) return std::vector<Side>();
    auto sides = compare::parse_joined_table(*content);
    if (!sides) return in_file(path, sides.error());
    return sides;
}

Result<Side> read_path(const fs::path& path, bool with_stacks) {
    std::error_code error;
    if (fs::is_directory(path, error)) return read_run_folder(path.string());
    const auto content = guest::read_file(path);
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
    if (!fs::is_directory(folder, error) || fs::exists(folder / "side.json", error)) return found;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (fs::exists(entry.path() / "side.json", error)) found.push_back(entry.path());
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
        auto side = read_run_folder(folder.string());
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
