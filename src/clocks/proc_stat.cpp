#include "clocks/proc_stat.h"

#include <array>

#include <unistd.h>

#include "base/text.h"

namespace ringside::clocks {

namespace {

// The columns in the order of proc(5); those behind steal are parts of user and nice.
constexpr std::array columns{&CpuTicks::user,    &CpuTicks::nice,   &CpuTicks::system,
                             &CpuTicks::idle,    &CpuTicks::iowait, &CpuTicks::irq,
                             &CpuTicks::softirq, &CpuTicks::steal};
constexpr int largest_cpu = 65535;

std::optional<CpuTicks> parse_columns(const std::vector<std::string_view>& words) {
    CpuTicks ticks;
    for (std::size_t i = 0; i < columns.size() && i + 1 < words.size(); ++i) {
        const auto value = base::parse_u64(words[i + 1]);
        if (!value) return std::nullopt;
        ticks.*columns[i] = *value;
    }
    return ticks;
}

std::optional<int> parse_cpu_number(std::string_view name) {
    const auto number = base::parse_u64(name.substr(3));
    if (!number || *number > largest_cpu) return std::nullopt;
    return static_cast<int>(*number);
}

CpuTicks growth(const CpuTicks& from, const CpuTicks& to) {
    CpuTicks grown;
    for (const auto column : columns) {
        grown.*column = to.*column > from.*column ? to.*column - from.*column : 0;
    }
    return grown;
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
    ProcStat stat;
    bool any = false;
    for (const auto line : base::split_lines(text)) {
        if (!line.starts_with("cpu")) continue;
        const auto words = base::split_words(line);
        const auto ticks = parse_columns(words);
        if (!ticks) continue;
        if (words[0] == "cpu") {
            stat.total = *ticks;
            any = true;
        } else if (const auto cpu = parse_cpu_number(words[0])) {
            stat.cpus[*cpu] = *ticks;
            any = true;
        }
    }
    return any ? std::optional(stat) : std::nullopt;
}

void TickSums::add(const ProcStat& now) {
    for (const auto& [cpu, ticks] : now.cpus) {
        // A CPU that was not seen before counts from now: what it shows may be older than we are.
        const auto before = last_.try_emplace(cpu, ticks).first;
        const CpuTicks grown = growth(before->second, ticks);
        CpuTicks& sum = sums_[cpu];
        for (const auto column : columns) sum.*column += grown.*column;
        before->second = ticks;
    }
}

std::uint64_t tick_ns() {
    const long per_second = ::sysconf(_SC_CLK_TCK);
    return 1'000'000'000u / static_cast<std::uint64_t>(per_second > 0 ? per_second : 100);
}

}  // namespace ringside::clocks
