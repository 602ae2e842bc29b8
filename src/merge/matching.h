// Which machine of the host a guest's recording comes from, which vCPU each of its CPUs is, and
// what its clock was: found together, because each is the proof of the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "merge/guest_view.h"
#include "merge/host_view.h"
#include "merge/interval_fit.h"
#include "merge/known_clock.h"

namespace ringside::merge {

enum class ClockSource { counter, runs, given };
// "counter", "runs", "given". Static storage.
std::string_view to_string(ClockSource source);

struct Match {
    std::uint32_t pid = 0;  // the VMM
    std::vector<std::size_t>
        threads;                 // for each of GuestView::cpus, its place in HostView::threads
    bool vcpus_matched = false;  // by their runs, because nothing names them
    ClockSource source = ClockSource::runs;
    Fit fit;
    std::vector<std::string> notes;
};

struct Wanted {
    std::optional<std::uint32_t> pid;  // look at this VMM alone
    std::optional<std::int64_t> offset_ns;
    bool only_runs = false;  // do not believe the counters
};

// Fails if no machine fits, or several do, or one in several ways; `path` is for the message.
Result<Match> match_guest(const HostView& host, const GuestView& guest,
                          const std::map<std::uint32_t, KnownClock>& known, const Wanted& wanted,
                          const std::string& path);

std::vector<CpuPair> pairs_of(const HostView& host, const GuestView& guest, const Match& match);

}  // namespace ringside::merge
