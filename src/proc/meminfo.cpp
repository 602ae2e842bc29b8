#include "proc/meminfo.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ringside::proc {

namespace {

std::optional<std::uint64_t> read_total(const base::SysRoot& root, const std::string& path) {
    const auto text = root.read(path);
    return text ? parse_memory_total_bytes(*text) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_memory_total_bytes(std::string_view meminfo) {
    for (const auto line : base::split_lines(meminfo)) {
        const auto words = base::split_words(line);
        const auto key = std::find(words.begin(), words.end(), "MemTotal:");
        if (words.end() - key < 2) continue;
        const auto kb = base::parse_u64(key[1]);
        if (!kb || *kb > UINT64_MAX / 1024) return std::nullopt;
        return *kb * 1024;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> memory_total_bytes(const base::SysRoot& root) {
    return read_total(root, "/proc/meminfo");
}

std::optional<std::uint64_t> node_memory_total_bytes(const base::SysRoot& root, int node) {
    return read_total(root, "/sys/devices/system/node/node" + std::to_string(node) + "/meminfo");
}

}  // namespace ringside::proc
