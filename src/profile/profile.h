// A profile in memory: samples that are alike counted together, and the world they come from. Its
// size follows the number of distinct places and stacks, not that of samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "perf/data_file.h"
#include "perf/steal_readings.h"
#include "profile/filter.h"
#include "profile/locations.h"
#include "profile/module_symbols.h"
#include "profile/stacks.h"
#include "profile/window.h"
#include "profile/world.h"
#include "symbols/finder.h"

namespace ringside::profile {

// Samples that agree in all that was kept; what was not kept is 0.
struct Group {
    std::uint32_t event = 0;
    CommId comm = 0;
    std::uint32_t machine = 0;  // the VMM of the guest that took them; 0 is the host
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint32_t cpu = 0;
    std::uint64_t cgroup = 0;
    LocationId location = 0;
    StackId stack = empty_stack;  // ends in `location`, but for what LoadOptions moves
    std::uint64_t samples = 0;
    std::uint64_t period = 0;  // of the event, summed: the weight of the samples

    bool alike(const Group& other) const {
        return location == other.location && stack == other.stack && comm == other.comm &&
               event == other.event && machine == other.machine && pid == other.pid &&
               tid == other.tid && cpu == other.cpu && cgroup == other.cgroup;
    }
};

struct EventTotals {
    std::string name;
    std::uint64_t samples = 0;
    std::uint64_t period = 0;
    std::uint64_t lost = 0;
    bool in_ns = false;  // its count is a time
    std::string unit{};  // what it counts, for people, where the recorder said so
};

// One sample in time.
struct Instant {
    std::uint64_t time_ns = 0;
    std::uint32_t group = 0;
    std::uint64_t period = 0;
};

struct Profile {
    std::unique_ptr<World> world = std::make_unique<World>();
    Locations locations{*world};
    Stacks stacks;
    std::vector<Group> groups;
    std::vector<EventTotals> events;  // of all samples in the window, whether they pass the filter
    std::vector<Instant> timeline;    // in the order of time, if it was kept
    std::vector<perf::StealReading> steal;  // in the window, if the recorder noted it
    perf::Origin origin;
    std::unique_ptr<RecordedKallsyms> kallsyms = std::make_unique<RecordedKallsyms>();
    std::unique_ptr<ModuleBook> book;  // the symbols by which places were folded, if they were
    std::vector<std::string> warnings;
};

// What keeps two samples apart, besides their event and the place they point to.
struct Keep {
    bool comm = true;
    bool pid = false;
    bool tid = false;
    bool cpu = false;
    bool cgroup = false;
    bool stack = false;
    bool timeline = false;  // when each sample was taken
};

struct LoadOptions {
    Keep keep{};
    Window window{};
    Filter filter{};
    // Where the programs lie whose copied stacks must be unwound.
    symbols::Finder programs{};
    // If places of one function are to be one place: where names come from. A module whose inlined
    // functions are known keeps all its places.
    std::optional<SymbolSources> fold{};
    bool fold_unnamed = false;  // and all of a module that has no name, too
    // Context switches point to where the program was, if stacks were recorded: the kernel itself
    // always switches in the same function.
    bool switches_in_program = false;
};

// Fails when the file cannot be read at all; what is damaged in it becomes a warning.
Result<Profile> load(const std::string& path, const LoadOptions& options = {});

}  // namespace ringside::profile
