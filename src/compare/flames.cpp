#include "compare/flames.h"

#include <algorithm>

#include "analysis/flame.h"

namespace ringside::compare {

namespace {

using model::StackTree;
using run::Run;
using run::Side;

model::StackTree with_joined_names(StackTree stacks, const NameRules& rules) {
    stacks.event = joined_event(stacks.event);
    for (auto& frame : stacks.frames) {
        if (frame.module.empty()) continue;
        const std::string module = rules.module(frame.module);
        const bool named = frame.name != frame.module && frame.name != "[" + frame.module + "]";
        if (named) {
            frame.name = rules.symbol(module, frame.name);
        } else {
            frame.name = module.starts_with('[') ? module : "[" + module + "]";
        }
        frame.module = module;
    }
    return stacks;
}

const StackTree* find_stacks(const Run& run, const std::string& event) {
    const auto found =
        std::find_if(run.stacks.begin(), run.stacks.end(),
                     [&](const StackTree& tree) { return joined_event(tree.event) == event; });
    return found == run.stacks.end() ? nullptr : &*found;
}

std::vector<std::string> sampled_events(const std::vector<Side>& sides) {
    std::vector<std::string> events;
    for (const Side& side : sides) {
        for (const Run& run : side.runs) {
            for (const StackTree& tree : run.stacks) {
                const std::string event = joined_event(tree.event);
                const bool known = std::find(events.begin(), events.end(), event) != events.end();
                if (!known && tree.nodes.size() > 1) events.push_back(event);
            }
        }
    }
    return events;
}

}  // namespace

std::vector<model::FlameFigure> join_flames(const std::vector<Side>& sides, std::size_t most,
                                            const NameRules& rules) {
    std::vector<std::string> names;
    names.reserve(sides.size());
    for (const Side& side : sides) names.push_back(side.name);
    std::vector<model::FlameFigure> figures;
    for (const auto& event : sampled_events(sides)) {
        analysis::FlameJoin join(names);
        for (std::size_t i = 0; i < sides.size(); ++i) {
            std::vector<const StackTree*> runs;
            for (const Run& run : sides[i].runs) {
                if (const auto* stacks = find_stacks(run, event)) runs.push_back(stacks);
            }
            for (const auto* stacks : runs)
                join.add(i, with_joined_names(*stacks, rules),
                         1 / static_cast<double>(runs.size()));
        }
        figures.push_back(join.figure(most));
    }
    return figures;
}

}  // namespace ringside::compare
