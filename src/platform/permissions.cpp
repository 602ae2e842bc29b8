#include "platform/permissions.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

constexpr const char* status_path = "/proc/self/status";

// A number in a line of /proc/self/status; `word` says which one of the line.
Fact<std::uint64_t> status_number(const Result<std::string>& status, const std::string& key,
                                  int base, std::size_t word = 0) {
    const auto source = fmt::format("{} {}", status_path, key);
    if (!status) return unknown<std::uint64_t>(source, status.error().what);
    const auto value = base::find_field(*status, key);
    if (!value) return unknown<std::uint64_t>(source, "not there");
    const auto words = base::split_words(*value);
    const auto number = word < words.size() ? base::parse_u64(words[word], base) : std::nullopt;
    if (!number) return unknown<std::uint64_t>(source, "is not a number: " + shown(*value));
    return known(*number, source, shown(*value));
}

Fact<int> to_int(const Fact<std::uint64_t>& fact) {
    if (!fact.value) return {std::nullopt, fact.evidence};
    if (*fact.value > std::numeric_limits<int>::max()) {
        return unknown<int>(fact.evidence.source, "is too large: " + fact.evidence.text);
    }
    return {static_cast<int>(*fact.value), fact.evidence};
}

void read_status(const base::SysRoot& root, Permissions& found) {
    const auto status = root.read(status_path);
    found.effective_capabilities = status_number(status, "CapEff", 16);
    found.seccomp_mode = to_int(status_number(status, "Seccomp", 10));
    found.effective_uid = to_int(status_number(status, "Uid", 10, 1));
    const auto bound = status_number(status, "NoNewPrivs", 10);
    found.no_new_privs.evidence = bound.evidence;
    if (bound.value) found.no_new_privs.value = *bound.value != 0;
}

Fact<std::string> read_lockdown(const base::SysRoot& root) {
    auto line = read_line(root, "/sys/kernel/security/lockdown");
    if (!line.value) return line;
    const auto level = parse_lockdown(*line.value);
    if (level.empty()) return unknown<std::string>(line.evidence.source, line.evidence.text);
    return known(level, line.evidence.source, line.evidence.text);
}

// The initial namespace maps every id to itself.
Fact<bool> read_initial_user_namespace(const base::SysRoot& root) {
    const std::string path = "/proc/self/uid_map";
    const auto text = root.read_trimmed(path);
    if (!text) return unknown<bool>(path, text.error().what);
    const auto words = base::split_words(*text);
    if (words.size() < 3) return unknown<bool>(path, "is no map: " + shown(*text));
    const bool initial = words.size() == 3 && words[0] == "0" && words[1] == "0" &&
                         base::parse_u64(words[2]) == 4294967295u;
    return known(initial, path, shown(*text));
}

}  // namespace

bool Permissions::has(Capability capability) const {
    return ((effective_capabilities.value.value_or(0) >> static_cast<unsigned>(capability)) & 1) !=
           0;
}

bool Permissions::privileged_for_perf() const {
    if (initial_user_namespace.value == false) return false;
    return has(Capability::perfmon) || has(Capability::sys_admin);
}

bool Permissions::may_count_user() const {
    if (!perf_event_paranoid.value) return false;
    return *perf_event_paranoid.value <= 2 || privileged_for_perf();
}

bool Permissions::may_count_kernel() const {
    return may_count_user() && (*perf_event_paranoid.value <= 1 || privileged_for_perf());
}

Permissions read_permissions(const base::SysRoot& root) {
    const std::string sysctl = "/proc/sys/kernel/";
    Permissions found;
    found.perf_event_paranoid = read_int(root, sysctl + "perf_event_paranoid");
    found.perf_user_access = read_int(root, sysctl + "perf_user_access");
    found.perf_event_max_sample_rate = read_int(root, sysctl + "perf_event_max_sample_rate");
    found.perf_event_mlock_kb = read_int(root, sysctl + "perf_event_mlock_kb");
    found.kptr_restrict = read_int(root, sysctl + "kptr_restrict");
    found.unprivileged_bpf_disabled = read_int(root, sysctl + "unprivileged_bpf_disabled");
    found.lockdown = read_lockdown(root);
    found.initial_user_namespace = read_initial_user_namespace(root);
    read_status(root, found);
    return found;
}

std::string parse_lockdown(std::string_view text) {
    const auto open = text.find('[');
    const auto close = text.find(']', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return {};
    return std::string(text.substr(open + 1, close - open - 1));
}

}  // namespace ringside::platform
