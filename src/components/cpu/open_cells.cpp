#include "components/cpu/open_cells.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "components/cpu/places.h"

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

// Why a set is not read from registers; empty if it can be. All of a set or nothing: one event that
// needs the kernel brings the others along in the same call.
std::string why_by_kernel(const Recipe& recipe, const Places& places) {
    const auto on_core = [](const CountedEvent& event) {
        return event.parts.size() == 1 && !event.software() && event.parts.front().cpus.empty();
    };
    const auto overflows = [](const OverflowWish& wish) { return wish.period != 0; };
    if (!std::all_of(recipe.events.begin(), recipe.events.end(), on_core)) {
        return "not all of the set's events are on the CPU's own counters";
    }
    if (!recipe.options.user_reads) return "that was asked for";
    if (!places.own_thread || recipe.options.start_on_exec) {
        return "registers are those of the calling thread alone";
    }
    if (std::any_of(recipe.overflows.begin(), recipe.overflows.end(), overflows)) {
        return "an event calls a handler";
    }
    const trust::UserRead& tried = recipe.witness->user_read();
    return tried.state == CounterState::ok ? std::string() : tried.detail;
}

std::vector<perf::GroupMember> members_of(const Recipe& recipe, const PlannedGroup& planned,
                                          bool registers) {
    std::vector<perf::GroupMember> members;
    for (const auto& [slot, part] : planned.members) {
        perf::GroupMember member;
        member.event = in_domains(recipe.events[slot].parts[part].event, recipe.options.domains);
        member.sample_period = recipe.overflows[slot].period;
        member.lend_register = registers;
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

Result<void> map_pages(Cell& cell) {
    for (std::size_t i = 0; i < cell.members.size(); ++i) {
        auto page = perf::RingBuffer::map(cell.group.event(i), 0);
        if (!page) return page.error();
        cell.pages.push_back(std::move(*page));
    }
    return {};
}

Error too_many_events() {
    return base::fail(ErrorCode::busy, "the events do not fit onto this machine's counters at once",
                      "use fewer events, or multiplex");
}

// Each event was opened alone before it came here. So a group that the kernel calls invalid is one
// that can never be on the counters, and a single event one that counts for CPUs only.
Error better_error(const Error& error, std::span<const perf::GroupMember> members,
                   const PlannedGroup& planned, const perf::Target& target) {
    if (error.sys_errno != EINVAL || planned.key == software_key) return error;
    if (target.cpu < 0 && !planned.cpus.empty()) {
        Error better = error;
        better.hint = "it counts for CPUs, not for threads: choose CPUs or the system";
        return better;
    }
    return members.size() > 1 ? too_many_events() : error;
}

// Switches the events on for a moment. What they count meanwhile is taken off at the start.
Result<void> try_out(perf::Group& group) {
    if (auto done = group.enable(); !done) return done;
    perf::GroupCount count;
    const bool read = group.read(count);
    if (!read) return perf::Group::read_error();
    if (auto done = group.disable(); !done) return done;
    return count.on_counters ? Result<void>() : Result<void>(too_many_events());
}

// Whether a pinned group can get onto its counters shows on a thread that runs: on ours.
Result<void> check_fit(std::span<const perf::GroupMember> members, const Places& places,
                       const perf::GroupOptions& options, perf::Group& group) {
    if (!options.pinned || options.enable_on_exec) return {};
    if (places.own_thread) return try_out(group);
    auto copy = perf::Group::open(members, {}, {.pinned = true});
    return copy ? try_out(*copy) : Result<void>(copy.error());
}

// Opens one group after the other on every place.
class Opening {
  public:
    Opening(const Recipe& recipe, const Places& places)
        : recipe_(recipe),
          places_(places),
          by_kernel_because_(why_by_kernel(recipe, places)),
          registers_(by_kernel_because_.empty()) {}

    Result<void> open(const PlannedGroup& planned) {
        const auto members = members_of(recipe_, planned, registers_);
        const auto options = group_options(recipe_, places_, planned);
        const std::size_t before = cells_.size();
        Error last = base::fail(ErrorCode::not_found,
                                "none of these CPUs counts " + members.front().event.name);
        for (const auto& target : places_.targets) {
            if (!is_on(planned, target)) continue;
            auto cell = open_cell(planned, members, target, options);
            if (cell) {
                cells_.push_back(std::move(*cell));
                continue;
            }
            last = cell.error();
            if (!places_.may_vanish || !vanished(last)) return last;
        }
        if (cells_.size() == before) return last;
        return check_fit(members, places_, options, cells_.back().group);
    }

    OpenCells take() { return {std::move(cells_), std::move(by_kernel_because_)}; }

  private:
    Result<Cell> open_cell(const PlannedGroup& planned, std::span<const perf::GroupMember> members,
                           const perf::Target& target, const perf::GroupOptions& options) const {
        auto group = perf::Group::open(members, target, options);
        if (!group) return better_error(group.error(), members, planned, target);
        Cell cell{std::move(*group), planned.members, std::vector<std::uint64_t>(members.size())};
        if (auto done = watch_overflows(recipe_, target.pid, cell); !done) return done.error();
        if (registers_) {
            if (auto done = map_pages(cell); !done) return done.error();
        }
        return cell;
    }

    const Recipe& recipe_;
    const Places& places_;
    std::string by_kernel_because_;
    bool registers_;
    std::vector<Cell> cells_;
};

}  // namespace

Result<OpenCells> open_cells(const Recipe& recipe) {
    const auto places = find_places(recipe.root, recipe.options);
    if (!places) return places.error();
    if (auto possible = check_overflows(recipe, *places); !possible) return possible.error();
    Opening opening(recipe, *places);
    for (const auto& planned :
         plan_groups(recipe.events, recipe.options.multiplex, places->cpu_wide)) {
        if (auto done = opening.open(planned); !done) return done.error();
    }
    return opening.take();
}

}  // namespace ringside::components::cpu
