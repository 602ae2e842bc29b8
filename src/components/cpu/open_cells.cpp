#include "components/cpu/open_cells.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace ringside::components::cpu {

namespace {

model::Event in_domains(model::Event event, const Domains& domains) {
    event.pinned = false;  // the kernel takes that of a group's leader only: group_options()
    if (event.modes_named) return event;
    event.exclude.user = !domains.user;
    event.exclude.kernel = !domains.kernel;
    event.exclude.hypervisor = !domains.hypervisor;
    return event;
}

std::vector<perf::GroupMember> members_of(const Recipe& recipe, const PlannedGroup& planned) {
    std::vector<perf::GroupMember> members;
    for (const auto& [slot, part] : planned.members) {
        perf::GroupMember member;
        member.event = in_domains(recipe.events[slot].parts[part].event, recipe.options.domains);
        member.sample_period = recipe.overflows[slot].period;
        if (member.sample_period != 0) member.sample_type = perf::OverflowWatch::sample_type;
        members.push_back(std::move(member));
    }
    return members;
}

// A pinned group is on counters or in error, never silently waiting for its turn. On CPUs nothing
// is pinned: that would take counters from guests for as long as the set runs.
perf::GroupOptions group_options(const Recipe& recipe, const Places& places,
                                 const PlannedGroup& planned) {
    perf::GroupOptions options = places.options;
    options.pinned = planned.key != software_key && !recipe.options.multiplex && !places.cpu_wide;
    for (const auto& [slot, part] : planned.members) {
        options.pinned |= recipe.events[slot].parts[part].event.pinned;
    }
    return options;
}

bool is_on(const PlannedGroup& planned, const perf::Target& target) {
    return target.cpu < 0 || planned.cpus.empty() ||
           std::find(planned.cpus.begin(), planned.cpus.end(), target.cpu) != planned.cpus.end();
}

bool vanished(const Error& error) {
    return error.sys_errno == ESRCH || error.sys_errno == ENODEV;
}

Result<void> watch_overflows(const Recipe& recipe, pid_t tid, Cell& cell) {
    for (std::size_t i = 0; i < cell.members.size(); ++i) {
        const std::size_t slot = cell.members[i].slot;
        const OverflowWish& wish = recipe.overflows[slot];
        if (wish.period == 0) continue;
        auto watch =
            perf::OverflowWatch::attach(cell.group.event(i), tid,
                                        [handler = wish.handler, bit = std::uint64_t{1} << slot](
                                            std::uint64_t ip, void* context) {
                                            handler({ip, bit, context});
                                        });
        if (!watch) return watch.error();
        cell.watches.push_back(std::move(*watch));
    }
    return {};
}

// The signal must reach the thread that overflowed, and it must be ours.
Result<void> check_overflows(const Recipe& recipe, const Places& places) {
    const bool none = std::all_of(recipe.overflows.begin(), recipe.overflows.end(),
                                  [](const OverflowWish& wish) { return wish.period == 0; });
    if (none || (!places.cpu_wide && !places.options.inherit)) return {};
    return base::fail(ErrorCode::unsupported, "overflows of CPUs or of threads yet to come",
                      "choose a thread, without inherit");
}

Result<Cell> open_cell(const Recipe& recipe, const PlannedGroup& planned,
                       std::span<const perf::GroupMember> members, const perf::Target& target,
                       const perf::GroupOptions& options) {
    auto group = perf::Group::open(members, target, options);
    if (!group) return group.error();
    Cell cell{std::move(*group), planned.members, std::vector<std::uint64_t>(members.size())};
    if (auto done = watch_overflows(recipe, target.pid, cell); !done) return done.error();
    return cell;
}

// Switches the events on for a moment. What they count meanwhile is taken off at the start.
Result<void> try_out(perf::Group& group) {
    if (auto done = group.enable(); !done) return done;
    const auto count = group.read();
    if (auto done = group.disable(); !done) return done;
    if (!count) return count.error();
    if (!count->values.empty()) return {};
    return base::fail(ErrorCode::busy, "the events do not fit onto this machine's counters at once",
                      "use fewer events, or multiplex");
}

// Whether a pinned group can get onto its counters shows on a thread that runs: on ours.
Result<void> check_fit(const Recipe& recipe, const Places& places, const PlannedGroup& planned,
                       perf::Group& group) {
    const auto options = group_options(recipe, places, planned);
    if (!options.pinned || options.enable_on_exec) return {};
    if (places.own_thread) return try_out(group);
    auto copy = perf::Group::open(members_of(recipe, planned), {}, {.pinned = true});
    return copy ? try_out(*copy) : Result<void>(copy.error());
}

}  // namespace

Result<std::vector<Cell>> open_cells(const Recipe& recipe) {
    const auto places = find_places(recipe.root, recipe.options);
    if (!places) return places.error();
    if (auto possible = check_overflows(recipe, *places); !possible) return possible.error();
    std::vector<Cell> cells;
    for (const auto& planned :
         plan_groups(recipe.events, recipe.options.multiplex, places->cpu_wide)) {
        const auto members = members_of(recipe, planned);
        const auto options = group_options(recipe, *places, planned);
        const std::size_t before = cells.size();
        Error last = base::fail(ErrorCode::not_found,
                                "none of these CPUs counts " + members.front().event.name);
        for (const auto& target : places->targets) {
            if (!is_on(planned, target)) continue;
            auto cell = open_cell(recipe, planned, members, target, options);
            if (cell) {
                cells.push_back(std::move(*cell));
                continue;
            }
            last = cell.error();
            if (!places->may_vanish || !vanished(last)) return last;
        }
        if (cells.size() == before) return last;
        if (auto fits = check_fit(recipe, *places, planned, cells.back().group); !fits) {
            return fits.error();
        }
    }
    return cells;
}

}  // namespace ringside::components::cpu
