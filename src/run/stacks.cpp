#include "run/stacks.h"

#include <array>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_text.h"
#include "run/json.h"

namespace ringside::run {

namespace {

using base::fail;
using model::FrameKind;
using model::StackTree;
using ParsedJson = nlohmann::ordered_json;

constexpr std::array<std::pair<FrameKind, std::string_view>, 6> frame_kinds = {{
    {FrameKind::thread, "thread"},
    {FrameKind::user, "user"},
    {FrameKind::kernel, "kernel"},
    {FrameKind::guest_user, "guest_user"},
    {FrameKind::guest_kernel, "guest_kernel"},
    {FrameKind::hypervisor, "hypervisor"},
}};

std::string_view to_string(FrameKind kind) {
    for (const auto& [each, name] : frame_kinds) {
        if (each == kind) return name;
    }
    return "user";
}

FrameKind kind_of(const std::string& text) {
    for (const auto& [each, name] : frame_kinds) {
        if (name == text) return each;
    }
    return FrameKind::user;
}

// Frames and nodes as rows without keys: there are many of them.
ParsedJson tree_json(const StackTree& tree) {
    ParsedJson json = {{"event", tree.event}, {"unit", tree.unit}};
    json["frames"] = ParsedJson::array();
    for (const auto& frame : tree.frames)
        json["frames"].push_back({frame.name, frame.module, to_string(frame.kind)});
    json["nodes"] = ParsedJson::array();
    for (const auto& node : tree.nodes)
        json["nodes"].push_back({node.parent, node.frame, node.self});
    return json;
}

// Throws what the JSON library does where a member is missing or of another type.
Result<StackTree> tree_of(const ParsedJson& json) {
    StackTree tree;
    tree.event = json.at("event").get<std::string>();
    tree.unit = json.at("unit").get<std::string>();
    for (const auto& row : json.at("frames")) {
        tree.frames.push_back({row.at(0).get<std::string>(), row.at(1).get<std::string>(),
                               kind_of(row.at(2).get<std::string>())});
    }
    for (const auto& row : json.at("nodes")) {
        const auto parent = row.at(0).get<std::uint64_t>();
        const auto frame = row.at(1).get<std::uint64_t>();
        const auto self = row.at(2).get<double>();
        const bool root = tree.nodes.empty();
        const bool fits =
            root ? parent == 0 : parent < tree.nodes.size() && frame < tree.frames.size();
        if (!fits || !(self >= 0)) return fail(ErrorCode::bad_input, "no tree of stacks");
        tree.nodes.push_back(
            {static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(frame), self});
    }
    if (tree.nodes.empty()) return fail(ErrorCode::bad_input, "a tree without a root");
    return tree;
}

}  // namespace

std::string stacks_json(const std::vector<StackTree>& trees) {
    ParsedJson json = {{"schema", "ringside.stacks/1"}, {"trees", ParsedJson::array()}};
    for (const auto& tree : trees) json["trees"].push_back(tree_json(tree));
    return base::json_text(json, -1);
}

Result<std::vector<StackTree>> parse_stacks(std::string_view text) {
    const auto parsed = parse_json_object(text, "stacks");
    if (!parsed) return parsed.error();
    const ParsedJson& json = *parsed;
    if (json.value("schema", ParsedJson()) != "ringside.stacks/1") {
        return fail(ErrorCode::bad_input, "not of the schema ringside.stacks/1");
    }
    std::vector<StackTree> trees;
    try {
        for (const auto& each : json.at("trees")) {
            auto tree = tree_of(each);
            if (!tree) return tree.error();
            trees.push_back(std::move(*tree));
        }
    } catch (const ParsedJson::exception& problem) {
        return fail(ErrorCode::bad_input, std::string("damaged: ") + problem.what());
    }
    return trees;
}

}  // namespace ringside::run
