#include "proc/stat.h"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::proc {

namespace {

// The columns in the order of proc(5); those behind steal are parts of user and nice.
constexpr std::array columns{&CpuTicks::user,    &CpuTicks::nice,   &CpuTicks::system,
                             &CpuTicks::idle,    &CpuTicks::iowait, &CpuTicks::irq,
                             &CpuTicks::softirq, &CpuTicks::steal};
constexpr int largest_cpu = 65535;

std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

std::optional<CpuTicks> parse_columns(std::string_view text) {
    CpuTicks ticks;
    for (const auto column : columns) {
        const auto word = take_word(text);
        if (word.empty()) break;
        const auto value = base::parse_u64(word);
        if (!value) return std::nullopt;
        ticks.*column = *value;
    }
    return ticks;
}

// "cpu" is all of them, "cpu7" one.
std::optional<int> parse_cpu_number(std::string_view name) {
    if (!name.starts_with("cpu")) return std::nullopt;
    if (name.size() == 3) return -1;
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

std::optional<CpuLine> parse_cpu_line(std::string_view line) {
    const auto cpu = parse_cpu_number(take_word(line));
    const auto ticks = cpu ? parse_columns(line) : std::nullopt;
    if (!ticks) return std::nullopt;
    return CpuLine{*cpu, *ticks};
}

std::optional<Stat> parse_stat(std::string_view text) {
    Stat stat;
    bool any = false;
    for (const auto line : base::split_lines(text)) {
        const auto parsed = parse_cpu_line(line);
        if (!parsed) continue;
        (parsed->cpu < 0 ? stat.total : stat.cpus[parsed->cpu]) = parsed->ticks;
        any = true;
    }
    return any ? std::optional(stat) : std::nullopt;
}

Result<Stat> read_stat(const base::SysRoot& root) {
    const auto text = root.read("/proc/stat");
    if (!text) return text.error();
    auto stat = parse_stat(*text);
    if (!stat) return base::fail(ErrorCode::bad_input, "/proc/stat has no CPU lines");
    return std::move(*stat);
}

void TickSums::add(const Stat& now) {
    for (const auto& [cpu, ticks] : now.cpus) add(cpu, ticks);
}

void TickSums::add(int cpu, const CpuTicks& now) {
    // A CPU that was not seen before counts from now: what it shows may be older than we are.
    const auto before = last_.try_emplace(cpu, now).first;
    const CpuTicks grown = growth(before->second, now);
    CpuTicks& sum = sums_[cpu];
    for (const auto column : columns) sum.*column += grown.*column;
    before->second = now;
}

std::uint64_t tick_ns() {
    const long per_second = ::sysconf(_SC_CLK_TCK);
    return 1'000'000'000u / static_cast<std::uint64_t>(per_second > 0 ? per_second : 100);
}

}  // namespace ringside::proc
