#include "accounting/time_report.h"

#include "analysis/time_sums.h"

namespace ringside::accounting {

namespace {

MachineTime average_machine(std::span<const TimeReport> runs) {
    MachineTime mean = std::get<MachineTime>(runs.front());
    const auto each = [&](auto member) {
        for (const auto& run : runs.subspan(1)) {
            const auto& more = std::get<MachineTime>(run).*member;
            auto& sum = mean.*member;
            if (sum && more) *sum += *more;
        }
        if (mean.*member) *(mean.*member) /= runs.size();
    };
    for (const auto member :
         {&MachineTime::user_ns, &MachineTime::kernel_ns, &MachineTime::stolen_ns,
          &MachineTime::idle_ns, &MachineTime::idle_io_ns}) {
        each(member);
    }
    for (const auto& run : runs.subspan(1)) mean.wall_ns += std::get<MachineTime>(run).wall_ns;
    mean.wall_ns /= runs.size();
    return mean;
}

}  // namespace

TimeReport between(const TimeReport& earlier, const TimeReport& later) {
    if (const auto* split = std::get_if<TimeSplit>(&later)) {
        return analysis::between(std::get<TimeSplit>(earlier), *split);
    }
    return between(std::get<MachineTime>(earlier), std::get<MachineTime>(later));
}

std::uint64_t wall_ns(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? split->clock.real_ns : std::get<MachineTime>(time).wall_ns;
}

TimeReport average(std::span<const TimeReport> runs) {
    if (std::holds_alternative<MachineTime>(runs.front())) return average_machine(runs);
    std::vector<TimeSplit> splits;
    splits.reserve(runs.size());
    for (const TimeReport& run : runs) splits.push_back(std::get<TimeSplit>(run));
    return analysis::average(splits);
}

}  // namespace ringside::accounting
