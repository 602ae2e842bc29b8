#include "accounting/proc_task.h"

#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace ringside::accounting {

namespace {

// Fields of /proc/PID/stat as proc(5) numbers them, from 1; those behind the name.
constexpr std::size_t state_field = 3;
constexpr std::size_t minor_faults_field = 10;
constexpr std::size_t major_faults_field = 12;
constexpr std::size_t user_field = 14;
constexpr std::size_t block_io_field = 42;

std::optional<std::uint64_t> number(const std::vector<std::string_view>& fields,
                                    std::size_t field) {
    const std::size_t at = field - state_field;
    return at < fields.size() ? base::parse_u64(fields[at]) : std::nullopt;
}

// "12.345678": milliseconds, and six digits of nanoseconds.
std::optional<std::uint64_t> parse_ms(std::string_view text) {
    const auto parts = base::split(text, '.');
    if (parts.size() != 2 || parts[1].size() != 6) return std::nullopt;
    const auto whole_ms = base::parse_u64(parts[0]);
    const auto rest_ns = base::parse_u64(parts[1]);
    constexpr std::uint64_t ms = 1'000'000;
    if (!whole_ms || !rest_ns || *whole_ms > UINT64_MAX / ms - 1) return std::nullopt;
    return *whole_ms * ms + *rest_ns;
}

// "se.statistics.sum_sleep_runtime  :  12.345678"; newer kernels leave the prefix out.
std::optional<std::uint64_t> find_sum(std::string_view text, std::string_view name) {
    for (const auto line : base::split_lines(text)) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const auto key = base::trim(line.substr(0, colon));
        const bool found =
            key == name || (key.size() > name.size() && key[key.size() - name.size() - 1] == '.' &&
                            key.substr(key.size() - name.size()) == name);
        if (found) return parse_ms(base::trim(line.substr(colon + 1)));
    }
    return std::nullopt;
}

}  // namespace

std::optional<TaskStat> parse_task_stat(std::string_view text) {
    // The name may hold blanks and parentheses; nothing behind it does.
    const auto end_of_name = text.rfind(')');
    if (end_of_name == std::string_view::npos) return std::nullopt;
    const auto fields = base::split_words(text.substr(end_of_name + 1));
    if (fields.empty() || fields[0].size() != 1) return std::nullopt;
    std::array<std::uint64_t, 4> times{};  // user, system, and the same of children
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto time = number(fields, user_field + i);
        if (!time) return std::nullopt;
        times[i] = *time;
    }
    const auto minor = number(fields, minor_faults_field);
    const auto major = number(fields, major_faults_field);
    if (!minor || !major) return std::nullopt;
    return TaskStat{fields[0][0], *minor,   *major,   times[0],
                    times[1],     times[2], times[3], number(fields, block_io_field)};
}

std::optional<SleepSums> parse_sleep_sums(std::string_view text) {
    const auto all = find_sum(text, "sum_sleep_runtime");
    const auto blocked = find_sum(text, "sum_block_runtime");
    const auto io = find_sum(text, "iowait_sum");
    if (!all || !blocked || !io) return std::nullopt;
    // The kernel adds what is blocked to both (kernel/sched/stats.c).
    return SleepSums{*all > *blocked ? *all - *blocked : 0, *blocked, *io,
                     find_sum(text, "sleep_start").value_or(0),
                     find_sum(text, "block_start").value_or(0)};
}

}  // namespace ringside::accounting
