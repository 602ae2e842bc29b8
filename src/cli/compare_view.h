// A comparison as people and programs read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "cli/style.h"
#include "compare/join.h"
#include "compare/judge.h"

namespace ringside::cli {

struct CompareView {
    std::string title;  // the command, or empty
    std::vector<compare::Side> sides;
    compare::Comparison comparison;
    std::vector<compare::Finding> summary;
    std::vector<std::string> warnings;
    std::vector<model::FlameFigure> flames;  // for each sampled event, if page or picture want them
};

std::string compare_text(const CompareView& view, std::size_t top, const Style& style);
std::string compare_csv(const CompareView& view);
// Schema "ringside.compare/1". Without indent (-1) it is one line.
std::string compare_json(const CompareView& view, int indent = 2);

// `text` with nothing in it that a name of a file should not hold.
std::string plain_file(std::string_view text);
// A CSV for each event that was sampled.
Result<void> write_event_files(const CompareView& view, const std::string& folder);
// The flame graph of the first event, coloured by what changed from the first side to the second.
Result<void> write_flame_graph(const CompareView& view, const std::string& file);

}  // namespace ringside::cli
