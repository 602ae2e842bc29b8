// A profile with its names and rows, and what is asked of them: what the text, CSV and JSON of
// `ringside report` are made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/call_tree.h"
#include "profile/rows.h"
#include "profile/stolen.h"

namespace ringside::report {

enum class CallGraph { none, caller, callee };

struct ProfileView {
    const profile::Profile& profile;
    const profile::Naming& naming;
    const std::vector<profile::Column>& columns;
    bool children = false;
    CallGraph call_graph = CallGraph::none;
    double least_percent = 0;        // rows that are lighter are left out of the text
    double least_graph_percent = 0;  // and branches out of call graphs

    const profile::Function& function(const profile::Row& row) const {
        return naming.functions[row.function];
    }
    std::string cell(std::size_t event, const profile::Row& row, profile::Column column) const;
    // Of the whole event, filtered samples included.
    double percent(std::size_t event, std::uint64_t period) const;
    // From callers to callees, or the other way round.
    profile::CallTree tree(std::size_t event) const;
};

std::string profile_text(const ProfileView& view, const std::vector<profile::EventRows>& events);
std::string profile_csv(const ProfileView& view, const std::vector<profile::EventRows>& events);
// Schema ringside.report/1.
std::string profile_json(const ProfileView& view, const std::vector<profile::EventRows>& events);

}  // namespace ringside::report
