#include <filesystem>

#include "base/error.h"
#include "base/file_io.h"
#include "cli/compare_view.h"
#include "render/flame_graph.h"

namespace ringside::cli {

namespace fs = std::filesystem;
using base::fail;
using compare::Row;

// "dTLB-store-misses" or "cpu/event=1/" as a name of a file.
std::string plain_file(std::string_view text) {
    std::string name;
    for (const char c : text.substr(0, 100)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.';
        name += plain ? c : '_';
    }
    return name;
}

Result<void> write_event_files(const CompareView& view, const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail(ErrorCode::io, "cannot create " + folder);
    std::vector<std::string> events;
    for (const Row& row : view.comparison.functions) {
        if (events.empty() || events.back() != row.event) events.push_back(row.event);
    }
    for (const auto& event : events) {
        CompareView part = view;
        for (auto* rows :
             {&part.comparison.events, &part.comparison.functions, &part.comparison.unresolved}) {
            std::erase_if(*rows, [&](const Row& row) { return row.event != event; });
        }
        const auto file = fs::path(folder) / (plain_file(event) + ".csv");
        if (auto done = base::replace_file(file.string(), compare_csv(part)); !done) return done;
    }
    return {};
}

Result<void> write_flame_graph(const CompareView& view, const std::string& file) {
    if (view.flames.empty()) {
        return fail(ErrorCode::bad_input, "no stack to draw was sampled",
                    "sides that were measured here have stacks, and recordings made with -g");
    }
    const auto& figure = view.flames.front();
    render::FlameOptions options;
    options.title = view.title.empty() ? figure.event : view.title;
    if (view.sides.size() > 1) {
        options.series = 1;
        options.before = 0;
    }
    return base::replace_file(file, render::flame_file(figure, options));
}

}  // namespace ringside::cli
