#include "proc/task.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::proc {

namespace {

constexpr std::uint64_t largest_id = 1u << 22;  // PID_MAX_LIMIT
// All of these are shorter than half of it; comm is at most 64 bytes, for workers of the kernel.
constexpr std::size_t most_bytes = 16384;

// Fields of /proc/PID/stat as proc(5) numbers them, from 1; those behind the name.
constexpr std::size_t state_field = 3;
constexpr std::size_t parent_field = 4;
constexpr std::size_t minor_faults_field = 10;
constexpr std::size_t major_faults_field = 12;
constexpr std::size_t user_field = 14;
constexpr std::size_t block_io_field = 42;

std::string path_of(pid_t id, std::string_view file) {
    return "/proc/" + std::to_string(id) + "/" + std::string(file);
}

std::optional<pid_t> parse_id(std::string_view text) {
    const auto number = base::parse_u64(text);
    if (!number || *number == 0 || *number > largest_id) return std::nullopt;
    return static_cast<pid_t>(*number);
}

Result<std::vector<pid_t>> list_ids(const base::SysRoot& root, const std::string& folder) {
    const auto names = root.list(folder);
    if (!names) return names.error();
    std::vector<pid_t> ids;
    for (const auto& name : *names) {
        if (const auto id = parse_id(name)) ids.push_back(*id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

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

Result<std::vector<pid_t>> list_processes(const base::SysRoot& root) {
    return list_ids(root, "/proc");
}

Result<std::vector<pid_t>> list_threads(const base::SysRoot& root, pid_t pid) {
    return list_ids(root, path_of(pid, "task"));
}

// The name, which comes first, cannot forge a line: the kernel writes "\\n" for its newlines here
// (fs/proc/array.c, proc_task_name).
Result<pid_t> process_of(const base::SysRoot& root, pid_t tid) {
    const auto status = root.read(path_of(tid, "status"), most_bytes);
    if (!status) return status.error();
    const auto pid = parse_id(base::find_field(*status, "Tgid").value_or(""));
    if (pid) return *pid;
    return base::fail(ErrorCode::bad_input, "thread " + std::to_string(tid) + " has no Tgid");
}

Result<std::string> read_name(const base::SysRoot& root, pid_t tid) {
    const auto name = root.read(path_of(tid, "comm"), most_bytes);
    if (!name) return name.error();
    return std::string(base::trim_end(*name));
}

std::optional<std::uint32_t> vcpu_of_thread_name(std::string_view name) {
    constexpr std::string_view begin = "CPU ";
    constexpr std::string_view end = "/KVM";
    if (!name.starts_with(begin) || !name.ends_with(end)) return std::nullopt;
    name.remove_prefix(begin.size());
    name.remove_suffix(end.size());
    const auto number = base::parse_u64(name);
    if (!number || *number > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::optional<TaskStat> parse_task_stat(std::string_view text) {
    const auto behind_name = base::behind_task_name(text);
    if (!behind_name) return std::nullopt;
    const auto fields = base::split_words(*behind_name);
    if (fields.empty() || fields[0].size() != 1) return std::nullopt;
    std::array<std::uint64_t, 4> times{};  // user, system, and the same of children
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto time = number(fields, user_field + i);
        if (!time) return std::nullopt;
        times[i] = *time;
    }
    const auto parent = number(fields, parent_field);
    const auto minor = number(fields, minor_faults_field);
    const auto major = number(fields, major_faults_field);
    if (!parent || *parent > largest_id || !minor || !major) return std::nullopt;
    return TaskStat{
        fields[0][0], static_cast<pid_t>(*parent),   *minor, *major, times[0], times[1], times[2],
        times[3],     number(fields, block_io_field)};
}

std::optional<TaskStat> read_process_stat(const base::SysRoot& root, pid_t pid) {
    const auto text = root.read(path_of(pid, "stat"), most_bytes);
    return text ? parse_task_stat(*text) : std::nullopt;
}

std::optional<TaskStat> read_thread_stat(const base::SysRoot& root, pid_t tid) {
    // /proc/TID/stat would be of the whole process.
    const auto text = root.read(path_of(tid, "task/" + std::to_string(tid) + "/stat"), most_bytes);
    return text ? parse_task_stat(*text) : std::nullopt;
}

std::optional<Schedstat> parse_schedstat(std::string_view text) {
    const auto words = base::split_words(text);
    if (words.size() < 3) return std::nullopt;
    const auto cpu_ns = base::parse_u64(words[0]);
    const auto waiting_ns = base::parse_u64(words[1]);
    const auto arrivals = base::parse_u64(words[2]);
    if (!cpu_ns || !waiting_ns || !arrivals) return std::nullopt;
    return Schedstat{*cpu_ns, *waiting_ns, *arrivals};
}

std::optional<Schedstat> read_schedstat(const base::SysRoot& root, pid_t tid) {
    const auto text = root.read(path_of(tid, "schedstat"), most_bytes);
    return text ? parse_schedstat(*text) : std::nullopt;
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

std::optional<SleepSums> read_sleep_sums(const base::SysRoot& root, pid_t tid) {
    const auto text = root.read(path_of(tid, "sched"), most_bytes);
    return text ? parse_sleep_sums(*text) : std::nullopt;
}

Result<std::vector<Mapping>> read_maps(const base::SysRoot& root, pid_t pid) {
    const auto text = root.read(path_of(pid, "maps"));
    if (!text) return text.error();
    return parse_maps(*text);
}

Result<base::Fd> open_pidfd(pid_t pid) {
    base::Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (fd) return fd;
    return base::fail_errno(errno, "cannot watch process " + std::to_string(pid));
}

}  // namespace ringside::proc
