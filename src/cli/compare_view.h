// A comparison as people and programs read it.
#pragma once

#include <string>
#include <vector>

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
};

std::string compare_text(const CompareView& view, std::size_t top, const Style& style);
std::string compare_csv(const CompareView& view);
// Schema "ringside.compare/1".
std::string compare_json(const CompareView& view);

}  // namespace ringside::cli
