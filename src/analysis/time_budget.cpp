#include "analysis/time_budget.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ringside::analysis {

namespace {

// The share of `amount` that `part` is of `all`.
std::uint64_t share(std::uint64_t amount, std::uint64_t part, std::uint64_t all) {
    const long double scaled = static_cast<long double>(amount) * static_cast<long double>(part) /
                               static_cast<long double>(all);
    return std::min(amount, static_cast<std::uint64_t>(scaled));
}

// A tick more or less, and twice the standard deviation of what n ticks find, at its largest.
std::uint64_t sampling_error_ns(const TickSample& ticks, std::uint64_t executed_ns) {
    const std::uint64_t tick_ns = std::max<std::uint64_t>(1, ticks.tick_ns);
    const double count = static_cast<double>(executed_ns) / static_cast<double>(tick_ns);
    const double error_ns = static_cast<double>(tick_ns) * (1 + std::sqrt(count));
    return std::min(executed_ns, static_cast<std::uint64_t>(error_ns));
}

void add_reason(std::string& reasons, std::string_view reason) {
    if (reason.empty() || reasons.find(reason) != std::string::npos) return;
    if (!reasons.empty()) reasons += "; ";
    reasons += reason;
}

// As the kernel splits CPU time for getrusage(2): by the ticks, and all user if there were none.
// Time spent in page faults was certainly kernel.
void split_executed(const TimeFacts& facts, TimeSplit& split) {
    if (!facts.occupied.ns || !facts.ticks) {
        const std::string reason =
            facts.occupied.ns ? "no source tells user from kernel time" : facts.occupied.reason;
        split.user.reason = split.kernel.reason = reason;
        return;
    }
    const TickSample& ticks = *facts.ticks;
    const std::uint64_t executed_ns = *facts.occupied.ns - split.stolen.ns.value_or(0);
    const std::uint64_t all_ns = ticks.user_ns + ticks.system_ns;
    std::uint64_t user_ns = all_ns == 0 ? executed_ns : share(executed_ns, ticks.user_ns, all_ns);
    if (const auto faults_ns = facts.details.fault_cpu.ns) {
        user_ns = std::min(user_ns, executed_ns - std::min(executed_ns, *faults_ns));
    }
    split.user.ns = user_ns;
    split.kernel.ns = executed_ns - user_ns;
    for (TimePart* part : {&split.user, &split.kernel}) {
        part->source = facts.occupied.source + ", by " + ticks.source;
        part->error_ns = sampling_error_ns(ticks, executed_ns);
        if (part->error_ns == executed_ns && executed_ns > 0) {
            part->reason = "too short for the timer's ticks to tell";
        }
        if (!split.stolen.ns) add_reason(part->reason, "what was stolen is in it");
    }
}

// A part without a value leaves its time to the rest; stolen time stays in user and kernel.
void explain_rest(const TimeFacts& facts, TimeSplit& split) {
    std::string& reason = split.unexplained_reason;
    if (split.unexplained_ns + static_cast<std::int64_t>(split.error_ns) < 0) {
        reason = "the parts overlap by more than their errors";
        return;
    }
    for (const auto* part : {&split.user, &split.kernel, &split.waiting, &split.blocked,
                             &split.paging, &split.sleeping, &split.stopped}) {
        if (!part->ns) add_reason(reason, part->reason);
    }
    add_reason(reason, facts.rest_reason);
    add_reason(reason, facts.lifetime_reason);
}

}  // namespace

TimeSplit split_time(const TimeFacts& facts) {
    TimeSplit split;
    split.method = facts.method;
    split.clock = facts.clock;
    split.lifetime_ns = facts.lifetime_ns;
    split.threads = facts.threads;
    split.waiting = facts.waiting;
    split.blocked = facts.blocked;
    split.paging = facts.paging;
    split.sleeping = facts.sleeping;
    split.stopped = facts.stopped;
    split.blocked_on_io_ns = facts.blocked_on_io_ns;
    split.details = facts.details;
    split.stolen = facts.stolen;
    // A part of occupied time, never more than all of it.
    if (split.stolen.ns) {
        split.stolen.ns = std::min(*split.stolen.ns, facts.occupied.ns.value_or(*split.stolen.ns));
    }
    split_executed(facts, split);

    split.unexplained_ns = static_cast<std::int64_t>(split.lifetime_ns);
    // How user, kernel and stolen divide the occupied time is uncertain, but not their sum.
    split.error_ns = facts.lifetime_error_ns + facts.occupied.error_ns;
    for (const auto* part : {&split.user, &split.kernel, &split.stolen}) {
        split.unexplained_ns -= static_cast<std::int64_t>(part->ns.value_or(0));
    }
    for (const auto* part :
         {&split.waiting, &split.blocked, &split.paging, &split.sleeping, &split.stopped}) {
        split.unexplained_ns -= static_cast<std::int64_t>(part->ns.value_or(0));
        split.error_ns += part->error_ns;
    }
    explain_rest(facts, split);
    return split;
}

}  // namespace ringside::analysis
