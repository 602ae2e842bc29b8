// A profile as a table: one row for each combination of what the reader wants kept apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::profile {

enum class Column { comm, pid, tid, cpu, cgroup, module, symbol, mode, line, event };

// "comm,dso,symbol": the names people type. Fails on one that does not exist.
Result<std::vector<Column>> parse_columns(std::string_view text);
std::string_view to_string(Column column);

bool has_column(const std::vector<Column>& columns, Column column);
// Whether every row is of one mode: it says so itself, or its symbol does.
bool shows_mode(const std::vector<Column>& columns);

// What loading must keep for these columns.
Keep kept_for(const std::vector<Column>& columns);

struct Row {
    CommId comm = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint32_t cpu = 0;
    std::uint64_t cgroup = 0;
    FunctionId function = 0;  // of which a row without symbols uses the module alone
    LineId line = 0;
    std::uint64_t samples = 0;
    std::uint64_t period = 0;
    std::uint64_t total_period = 0;  // with all it called; only if stacks were loaded
};

struct EventRows {
    std::size_t event = 0;
    std::vector<Row> rows;  // heaviest first
};

// An entry without rows for each event of the profile.
std::vector<EventRows> no_rows(const Profile& profile);
// One entry for each event of the profile. `with_callees` also fills total_period, and adds rows of
// functions that were only ever callers; then the columns are some of comm, module, symbol, mode.
std::vector<EventRows> make_rows(const Profile& profile, const Naming& naming,
                                 const std::vector<Column>& columns, bool with_callees = false);

}  // namespace ringside::profile
