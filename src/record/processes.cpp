#include "record/processes.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/text.h"
#include "symbols/build_id.h"

namespace ringside::record {

namespace {

using base::SysRoot;

// The link in map_files leads to the mapped file itself, even if it was deleted or lies in another
// mount namespace, but needs rights; the process's own root serves in most other cases.
std::string build_id_of(const SysRoot& root, pid_t pid, std::string_view range,
                        const std::string& file) {
    if (!file.starts_with('/') || file.starts_with("//anon")) return {};
    auto id = symbols::read_build_id(root.locate(fmt::format("/proc/{}/map_files/{}", pid, range)));
    if (id.empty())
        id = symbols::read_build_id(root.locate(fmt::format("/proc/{}/root{}", pid, file)));
    return id;
}

void describe_mappings(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    const auto maps = root.read(fmt::format("/proc/{}/maps", pid));
    if (!maps) return;
    for (const auto line : base::split_lines(*maps)) {
        auto map = parse_code_mapping(line);
        if (!map) continue;
        map->pid = map->tid = static_cast<std::uint32_t>(pid);
        map->build_id = build_id_of(root, pid, line.substr(0, line.find(' ')), map->file);
        perf::encode_process_map(out, *map);
    }
}

void describe_threads(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    const auto tids = root.list(fmt::format("/proc/{}/task", pid));
    if (!tids) return;
    for (const auto& name : *tids) {
        const auto tid = base::parse_u64(name);
        const auto comm = root.read_trimmed(fmt::format("/proc/{}/task/{}/comm", pid, name));
        if (tid && comm)
            perf::encode_comm(out, static_cast<std::uint32_t>(pid),
                              static_cast<std::uint32_t>(*tid), *comm);
    }
}

}  // namespace

// "55d0c000-55d0e000 r-xp 00001000 fe:01 1234    /usr/bin/true"
std::optional<perf::MapRecord> parse_code_mapping(std::string_view line) {
    const auto words = base::split_words(line);
    if (words.size() < 5 || words[1].size() != 4 || words[1][2] != 'x') return std::nullopt;
    const auto range = base::split(words[0], '-');
    const auto device = base::split(words[3], ':');
    if (range.size() != 2 || device.size() != 2) return std::nullopt;
    const auto start = base::parse_u64(range[0], 16);
    const auto end = base::parse_u64(range[1], 16);
    const auto offset = base::parse_u64(words[2], 16);
    const auto inode = base::parse_u64(words[4]);
    if (!start || !end || !offset || !inode || *end <= *start) return std::nullopt;
    perf::MapRecord map;
    map.start = *start;
    map.size = *end - *start;
    map.file_offset = *offset;
    map.major = static_cast<std::uint32_t>(base::parse_u64(device[0], 16).value_or(0));
    map.minor = static_cast<std::uint32_t>(base::parse_u64(device[1], 16).value_or(0));
    map.inode = *inode;
    map.protection =
        PROT_EXEC | (words[1][0] == 'r' ? PROT_READ : 0u) | (words[1][1] == 'w' ? PROT_WRITE : 0u);
    map.flags = words[1][3] == 's' ? MAP_SHARED : MAP_PRIVATE;
    // A path may hold blanks.
    map.file = words.size() < 6 ? "//anon" : line.substr(words[5].data() - line.data());
    return map;
}

std::optional<pid_t> process_of(const SysRoot& root, pid_t tid) {
    const auto status = root.read(fmt::format("/proc/{}/status", tid));
    if (!status) return std::nullopt;
    const auto field = base::find_field(*status, "Tgid");
    const auto pid = field ? base::parse_u64(*field) : std::nullopt;
    if (!pid) return std::nullopt;
    return static_cast<pid_t>(*pid);
}

void describe_process(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    describe_threads(root, pid, out);
    describe_mappings(root, pid, out);
}

void describe_all_processes(const SysRoot& root, base::ByteWriter& out) {
    const auto names = root.list("/proc");
    if (!names) return;
    for (const auto& name : *names)
        if (const auto pid = base::parse_u64(name))
            describe_process(root, static_cast<pid_t>(*pid), out);
}

}  // namespace ringside::record
