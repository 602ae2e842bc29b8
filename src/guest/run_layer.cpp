#include "guest/run_layer.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "guest/arguments.h"
#include "guest/elf.h"

namespace ringside::guest {

namespace {

bool is_for_machine(const fs::path& program, int machine) {
    const auto content = read_file(program);
    if (!content) return false;
    const auto facts = read_elf(bytes_of(*content));
    return facts && facts->has_value() && (*facts)->machine == machine;
}

// The first build for that machine; this very program is the last to be asked.
std::optional<fs::path> find_ringside(const std::vector<std::string>& builds, int machine) {
    std::vector<fs::path> candidates;
    candidates.reserve(builds.size() + 1);
    for (const auto& build : builds) candidates.push_back(fs::path(build) / "ringside");
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (self.filename() == "ringside") candidates.push_back(self);
    for (const auto& candidate : candidates) {
        if (is_for_machine(candidate, machine)) return candidate;
    }
    return std::nullopt;
}

Result<void> add_put(Layer& layer, const std::vector<Transfer>& put) {
    for (const auto& transfer : put) {
        const fs::path to = fs::path(transfer.to).lexically_normal();
        if (!to.is_absolute()) {
            return base::fail(ErrorCode::bad_input,
                              transfer.to + " is a path in the box and must begin with /");
        }
        // "dir/" means: into it, under its own name.
        const fs::path name = to.has_filename() ? to : to / fs::path(transfer.from).filename();
        auto added = layer.add_tree(transfer.from, name.relative_path().string());
        if (!added) return added;
    }
    return {};
}

Result<void> add_get(Layer& layer, const std::vector<Transfer>& get) {
    std::vector<std::string> paths;
    for (const auto& transfer : get) {
        const fs::path from = fs::path(transfer.from).lexically_normal();
        if (!from.is_absolute() || !from.has_filename()) {
            return base::fail(ErrorCode::bad_input,
                              transfer.from + " is not the path of a file in the box");
        }
        paths.push_back(from.string());
    }
    if (!paths.empty()) layer.add_file("ringside/get", escape_arguments(paths));
    return {};
}

}  // namespace

Result<RunLayer> make_run_layer(const fs::path& cache, const Kind& kind,
                                const RunContent& content) {
    RunLayer run;
    LibraryPath libraries = library_path(cache, kind);
    if (content.share_root) {
        run.layer.add_file("ringside/share_root", "");
        run.has_ringside = true;
    } else if (const auto ringside = find_ringside(content.builds, libraries.machine())) {
        auto added = run.layer.add_tree(*ringside, "usr/bin/ringside");
        if (!added) return added.error();
        libraries.add_directory(fs::absolute(ringside->parent_path()));
        run.has_ringside = true;
    }
    if (auto added = add_put(run.layer, content.put); !added) return added.error();
    if (auto missing = run.layer.add_libraries(libraries); !missing) return missing.error();
    if (auto added = add_get(run.layer, content.get); !added) return added.error();
    run.layer.add_file("ringside/command", escape_arguments(content.command));
    if (!content.environment.empty()) {
        run.layer.add_file("ringside/environment", escape_arguments(content.environment));
    }
    if (!content.directory.empty()) {
        run.layer.add_file("ringside/directory", escape_argument(content.directory));
    }
    if (!content.terminal.empty()) run.layer.add_file("ringside/terminal", content.terminal);
    if (content.network) run.layer.add_file("ringside/network", "");
    if (!content.promised.empty()) {
        run.layer.add_file("ringside/promised",
                           fmt::format("{}\n", fmt::join(content.promised, "\n")));
    }
    if (content.profiled) run.layer.add_file("ringside/profiled", "");
    if (!content.beside.empty()) {
        run.layer.add_file("ringside/beside", escape_arguments(content.beside));
    }
    return run;
}

}  // namespace ringside::guest
