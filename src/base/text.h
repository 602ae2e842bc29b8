// Small text readers. All are total: bad input gives nullopt or an empty answer, never a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::base {

std::string_view trim(std::string_view text);
// Only at the end; also drops NUL bytes, which device-tree strings carry.
std::string_view trim_end(std::string_view text);

// Fields between `separator`, empty ones kept. "a,,b" gives three.
std::vector<std::string_view> split(std::string_view text, char separator);
// Fields between runs of blanks, empty ones dropped.
std::vector<std::string_view> split_words(std::string_view text);
// Lines without their ends; a last line without '\n' counts.
std::vector<std::string_view> split_lines(std::string_view text);

// The whole text must be a number; nullopt on anything else, overflow included.
std::optional<std::uint64_t> parse_u64(std::string_view text, int base = 10);
std::optional<std::int64_t> parse_i64(std::string_view text);

// A kernel CPU list, "0-3,8,10-11". At most 65536 members, else nullopt.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The value of the first "key : value" or "key: value" line.
std::optional<std::string_view> find_field(std::string_view text, std::string_view key);

// What stands behind the name in a line of /proc/PID/stat, "PID (NAME) STATE PARENT ...". A name
// may hold parentheses, blanks and newlines; nothing behind it does.
std::optional<std::string_view> behind_task_name(std::string_view stat);

std::string to_lower(std::string_view text);
bool contains(std::string_view text, std::string_view part);

}  // namespace ringside::base
