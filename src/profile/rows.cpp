#include "profile/rows.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"

namespace ringside::profile {

namespace {

struct ColumnName {
    Column column;
    std::string_view name;
};
constexpr std::array<ColumnName, 10> column_names{{{Column::comm, "comm"},
                                                   {Column::pid, "pid"},
                                                   {Column::tid, "tid"},
                                                   {Column::cpu, "cpu"},
                                                   {Column::cgroup, "cgroup"},
                                                   {Column::module, "dso"},
                                                   {Column::symbol, "symbol"},
                                                   {Column::mode, "mode"},
                                                   {Column::line, "srcline"},
                                                   {Column::event, "event"}}};

// Functions that look the same in these columns get the same number: two builds of one library, or
// all functions of a module where symbols are not asked for.
std::vector<FunctionId> merge_alike(const Naming& naming, const std::vector<Column>& columns) {
    const bool symbol = has_column(columns, Column::symbol);
    const bool module = has_column(columns, Column::module);
    const bool mode = shows_mode(columns);
    std::unordered_map<std::string, FunctionId> first;
    std::vector<FunctionId> merged(naming.functions.size());
    for (FunctionId id = 0; id < merged.size(); ++id) {
        const Function& function = naming.functions[id];
        std::string key;
        if (symbol) key += function.name;
        key += '\n';
        if (module) key += function.module;
        key += '\n';
        if (mode) key += to_string(function.mode);
        merged[id] = first.emplace(std::move(key), id).first->second;
    }
    return merged;
}

class Table {
  public:
    explicit Table(std::size_t events) : result_(events), index_(events) {}

    Row& row(std::size_t event, const Row& key) {
        auto& rows = result_[event].rows;
        const std::uint64_t who = std::uint64_t{key.pid} << 32 | key.tid;
        const std::uint64_t hash = base::mix_bits(
            base::mix_bits(std::uint64_t{key.function} << 32 | key.comm) ^ who ^ key.cgroup ^
            std::uint64_t{key.cpu} << 16 ^ std::uint64_t{key.line} << 24);
        const auto at = index_[event].find_or_add(
            hash,
            [&](std::uint32_t i) {
                const Row& known = rows[i];
                return known.function == key.function && known.comm == key.comm &&
                       known.pid == key.pid && known.tid == key.tid && known.cpu == key.cpu &&
                       known.cgroup == key.cgroup && known.line == key.line;
            },
            [&] {
                rows.push_back(key);
                return static_cast<std::uint32_t>(rows.size() - 1);
            });
        return rows[at];
    }

    std::vector<EventRows> finish(bool by_total) {
        for (std::size_t event = 0; event < result_.size(); ++event) {
            result_[event].event = event;
            auto& rows = result_[event].rows;
            std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
                if (by_total && a.total_period != b.total_period)
                    return a.total_period > b.total_period;
                return a.period > b.period;
            });
        }
        return std::move(result_);
    }

  private:
    std::vector<EventRows> result_;
    std::vector<base::IndexTable> index_;
};

// The tree of stacks, its nodes in such an order that a walk sees each function once on a path.
class CalleeSums {
  public:
    CalleeSums(const Profile& profile, const Naming& naming, const std::vector<FunctionId>& merged)
        : profile_(profile), naming_(naming), merged_(merged) {
        const auto& stacks = profile.stacks;
        first_child_.assign(stacks.size(), 0);
        sibling_.assign(stacks.size(), 0);
        for (StackId id = 1; id < stacks.size(); ++id) {
            sibling_[id] = first_child_[stacks[id].caller];
            first_child_[stacks[id].caller] = id;
        }
    }

    void add(std::size_t event, bool keep_comm, Table& table) {
        std::vector<std::uint64_t> weight(profile_.stacks.size());
        for (const auto& group : profile_.groups)
            if (group.event == event) weight[group.stack] += group.period;
        // Callers have smaller numbers: one sweep sums up all subtrees.
        for (StackId id = static_cast<StackId>(weight.size()); id-- > 1;)
            weight[profile_.stacks[id].caller] += weight[id];
        walk(event, keep_comm, weight, table);
    }

  private:
    // Depth first. A function that calls itself counts where it was entered first.
    void walk(std::size_t event, bool keep_comm, const std::vector<std::uint64_t>& weight,
              Table& table) {
        std::vector<std::uint32_t> active(naming_.functions.size());
        CommId comm = 0;
        StackId at = first_child_[empty_stack];
        while (at != empty_stack) {
            const LocationId location = profile_.stacks[at].location;
            if (is_comm_frame(location)) {
                comm = comm_of_frame(location);
            } else if (weight[at] > 0) {
                for_frames(location, [&](FunctionId function) {
                    if (active[function]++ > 0) return;
                    Row key;
                    key.comm = keep_comm ? comm : 0;
                    key.function = function;
                    table.row(event, key).total_period += weight[at];
                });
            }
            at = next(at, weight, active);
        }
    }

    StackId next(StackId at, const std::vector<std::uint64_t>& weight,
                 std::vector<std::uint32_t>& active) const {
        if (weight[at] > 0 && first_child_[at] != empty_stack) return first_child_[at];
        while (at != empty_stack) {
            const LocationId location = profile_.stacks[at].location;
            if (!is_comm_frame(location) && weight[at] > 0)
                for_frames(location, [&](FunctionId function) { --active[function]; });
            if (sibling_[at] != empty_stack) return sibling_[at];
            at = profile_.stacks[at].caller;
        }
        return empty_stack;
    }

    template <typename Take>
    void for_frames(LocationId location, const Take& take) const {
        take(merged_[naming_.of_location[location]]);
        for (const auto function : naming_.inlined_in(location)) take(merged_[function]);
    }

    const Profile& profile_;
    const Naming& naming_;
    const std::vector<FunctionId>& merged_;
    std::vector<StackId> first_child_;
    std::vector<StackId> sibling_;
};

}  // namespace

std::string_view to_string(Column column) {
    for (const auto& entry : column_names)
        if (entry.column == column) return entry.name;
    return "";
}

bool has_column(const std::vector<Column>& columns, Column column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

bool shows_mode(const std::vector<Column>& columns) {
    return has_column(columns, Column::mode) || has_column(columns, Column::symbol);
}

Result<std::vector<Column>> parse_columns(std::string_view text) {
    std::vector<Column> columns;
    for (const auto name : base::split(text, ',')) {
        const auto found =
            std::find_if(column_names.begin(), column_names.end(),
                         [&](const ColumnName& entry) { return entry.name == base::trim(name); });
        if (found == column_names.end())
            return base::fail(
                ErrorCode::bad_input, "no key \"" + std::string(name) + "\"",
                "use comm, pid, tid, cpu, cgroup, dso, symbol, mode, srcline or event");
        columns.push_back(found->column);
    }
    return columns;
}

Keep kept_for(const std::vector<Column>& columns) {
    Keep keep;
    keep.comm = has_column(columns, Column::comm);
    keep.pid = has_column(columns, Column::pid);
    keep.tid = has_column(columns, Column::tid);
    keep.cpu = has_column(columns, Column::cpu);
    keep.cgroup = has_column(columns, Column::cgroup);
    return keep;
}

std::vector<EventRows> no_rows(const Profile& profile) {
    return Table(profile.events.size()).finish(false);
}

std::vector<EventRows> make_rows(const Profile& profile, const Naming& naming,
                                 const std::vector<Column>& columns, bool with_callees) {
    const auto merged = merge_alike(naming, columns);
    const bool keep_comm = has_column(columns, Column::comm);
    const bool keep_line = has_column(columns, Column::line);
    Table table(profile.events.size());
    for (const auto& group : profile.groups) {
        Row key;
        if (keep_comm) key.comm = group.comm;
        key.pid = group.pid;
        key.tid = group.tid;
        key.cpu = group.cpu;
        key.cgroup = group.cgroup;
        key.function = merged[naming.of_location[group.location]];
        if (keep_line) key.line = naming.line_of_location[group.location];
        Row& row = table.row(group.event, key);
        row.samples += group.samples;
        row.period += group.period;
    }
    if (with_callees) {
        CalleeSums sums(profile, naming, merged);
        for (std::size_t event = 0; event < profile.events.size(); ++event)
            sums.add(event, keep_comm, table);
    }
    return table.finish(with_callees);
}

}  // namespace ringside::profile
