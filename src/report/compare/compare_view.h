// A comparison in every output format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compare/join.h"
#include "compare/judge.h"
#include "report/style.h"

namespace ringside::report {

struct CompareView {
    std::string title;  // the command, or empty
    std::vector<run::Side> sides;
    compare::Comparison comparison;
    std::vector<compare::Finding> summary;
    std::vector<std::string> warnings;
    std::vector<model::FlameFigure> flames;  // for each sampled event, if page or picture want them
};

std::string compare_text(const CompareView& view, std::size_t top, const Style& style);
std::string compare_csv(const CompareView& view);
// Schema "ringside.compare/1". Without indent (-1) it is one line.
std::string compare_json(const CompareView& view, int indent = 2);

// The events that functions were sampled by, in the order of the rows.
std::vector<std::string> sampled_events(const CompareView& view);

struct EventFile {
    std::string event;
    std::string csv;
};
// A CSV for each event that was sampled.
std::vector<EventFile> compare_event_files(const CompareView& view);

}  // namespace ringside::report
