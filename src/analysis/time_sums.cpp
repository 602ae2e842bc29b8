#include "analysis/time_sums.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace ringside::analysis {

namespace {

using Part = TimePart TimeSplit::*;
constexpr std::array<Part, 8> parts = {
    &TimeSplit::user,    &TimeSplit::kernel, &TimeSplit::stolen,   &TimeSplit::waiting,
    &TimeSplit::blocked, &TimeSplit::paging, &TimeSplit::sleeping, &TimeSplit::stopped};

using Ns = std::optional<std::uint64_t>;

std::uint64_t less(std::uint64_t from, std::uint64_t what) {
    return from > what ? from - what : 0;
}

Ns less(const Ns& from, const Ns& what) {
    if (!from || !what) return std::nullopt;
    return less(*from, *what);
}

Ns plus(const Ns& one, const Ns& other) {
    if (!one || !other) return std::nullopt;
    return *one + *other;
}

Ns share(const Ns& of, std::uint64_t runs) {
    if (!of) return std::nullopt;
    return *of / runs;
}

void settle_rest(TimeSplit& split) {
    split.unexplained_ns = static_cast<std::int64_t>(split.lifetime_ns);
    for (const Part part : parts) {
        split.unexplained_ns -= static_cast<std::int64_t>((split.*part).ns.value_or(0));
    }
}

void add(TimeSplit& sum, const TimeSplit& more) {
    sum.clock.real_ns += more.clock.real_ns;
    sum.clock.cpu_ns = plus(sum.clock.cpu_ns, more.clock.cpu_ns);
    sum.clock.occupied_ns = plus(sum.clock.occupied_ns, more.clock.occupied_ns);
    sum.clock.compensated_ns = plus(sum.clock.compensated_ns, more.clock.compensated_ns);
    sum.clock.steal.ns = plus(sum.clock.steal.ns, more.clock.steal.ns);
    sum.clock.steal.error_ns += more.clock.steal.error_ns;
    sum.lifetime_ns += more.lifetime_ns;
    sum.threads += more.threads;
    sum.error_ns += more.error_ns;
    sum.blocked_on_io_ns = plus(sum.blocked_on_io_ns, more.blocked_on_io_ns);
    sum.details.minor_faults = plus(sum.details.minor_faults, more.details.minor_faults);
    sum.details.major_faults = plus(sum.details.major_faults, more.details.major_faults);
    for (const Part part : parts) {
        TimePart& here = sum.*part;
        const TimePart& there = more.*part;
        here.ns = plus(here.ns, there.ns);
        here.error_ns += there.error_ns;
        if (here.reason.empty()) here.reason = there.reason;
        if (!here.ns) here.source.clear();
    }
    if (sum.unexplained_reason.empty()) sum.unexplained_reason = more.unexplained_reason;
}

void divide(TimeSplit& split, std::uint64_t by) {
    split.clock.real_ns /= by;
    for (Ns* each : {&split.clock.cpu_ns, &split.clock.occupied_ns, &split.clock.compensated_ns,
                     &split.clock.steal.ns, &split.blocked_on_io_ns, &split.details.minor_faults,
                     &split.details.major_faults}) {
        *each = share(*each, by);
    }
    split.clock.steal.error_ns /= by;
    split.lifetime_ns /= by;
    split.threads = (split.threads + by / 2) / by;
    split.error_ns /= by;
    for (const Part part : parts) {
        (split.*part).ns = share((split.*part).ns, by);
        (split.*part).error_ns /= by;
    }
}

}  // namespace

TimeSplit between(const TimeSplit& earlier, const TimeSplit& later) {
    TimeSplit split = later;
    split.clock.real_ns = less(later.clock.real_ns, earlier.clock.real_ns);
    split.clock.cpu_ns = less(later.clock.cpu_ns, earlier.clock.cpu_ns);
    split.clock.occupied_ns = less(later.clock.occupied_ns, earlier.clock.occupied_ns);
    split.clock.compensated_ns = less(later.clock.compensated_ns, earlier.clock.compensated_ns);
    split.clock.steal.ns = less(later.clock.steal.ns, earlier.clock.steal.ns);
    split.lifetime_ns = less(later.lifetime_ns, earlier.lifetime_ns);
    split.blocked_on_io_ns = less(later.blocked_on_io_ns, earlier.blocked_on_io_ns);
    for (const Part part : parts) {
        (split.*part).ns = less((later.*part).ns, (earlier.*part).ns);
    }
    settle_rest(split);
    return split;
}

TimeSplit together(std::span<const TimeSplit> splits) {
    RINGSIDE_ASSERT(!splits.empty());
    TimeSplit sum = splits.front();
    std::uint64_t wall_ns = sum.clock.real_ns;
    for (const TimeSplit& more : splits.subspan(1)) {
        wall_ns = std::max(wall_ns, more.clock.real_ns);
        add(sum, more);
    }
    sum.clock.real_ns = wall_ns;
    settle_rest(sum);
    return sum;
}

TimeSplit average(std::span<const TimeSplit> splits) {
    RINGSIDE_ASSERT(!splits.empty());
    TimeSplit sum = splits.front();
    for (const TimeSplit& more : splits.subspan(1)) add(sum, more);
    divide(sum, splits.size());
    settle_rest(sum);
    return sum;
}

}  // namespace ringside::analysis
