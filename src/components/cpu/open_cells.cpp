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
            auto group = perf::Group::open(members, target, options);
            if (!group) {
                last = group.error();
                if (places->may_vanish && vanished(last)) continue;
                return last;
            }
            std::vector<std::uint64_t> base(members.size());
            cells.push_back({std::move(*group), planned.members, std::move(base)});
        }
        if (cells.size() == before) return last;
        if (auto fits = check_fit(recipe, *places, planned, cells.back().group); !fits) {
            return fits.error();
        }
    }
    return cells;
}

}  // namespace ringside::components::cpu
