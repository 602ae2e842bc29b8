#include "record/processes.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "proc/task.h"
#include "symbols/build_id.h"

namespace ringside::record {

namespace {

using base::SysRoot;

// The link in map_files leads to the mapped file itself, even if it was deleted or lies in another
// mount namespace, but needs rights; the process's own root serves in most other cases.
std::string build_id_of(const SysRoot& root, pid_t pid, const proc::Mapping& mapping) {
    if (!mapping.path.starts_with('/') || mapping.path.starts_with("//anon")) return {};
    auto id = symbols::read_build_id(
        root.locate(fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end)));
    if (id.empty())
        id = symbols::read_build_id(root.locate(fmt::format("/proc/{}/root{}", pid, mapping.path)));
    return id;
}

void describe_mappings(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    for (const auto& mapping : proc::read_maps(root, pid).value_or({})) {
        if (!mapping.executable) continue;
        auto map = code_record(static_cast<std::uint32_t>(pid), mapping);
        map.build_id = build_id_of(root, pid, mapping);
        perf::encode_process_map(out, map);
    }
}

void describe_threads(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    for (const pid_t tid : proc::list_threads(root, pid).value_or({})) {
        if (const auto name = proc::read_name(root, tid))
            perf::encode_comm(out, static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(tid),
                              *name);
    }
}

}  // namespace

perf::MapRecord code_record(std::uint32_t pid, const proc::Mapping& mapping) {
    perf::MapRecord map;
    map.pid = map.tid = pid;
    map.start = mapping.start;
    map.size = mapping.end - mapping.start;
    map.file_offset = mapping.file_offset;
    map.major = mapping.major;
    map.minor = mapping.minor;
    map.inode = mapping.inode;
    map.protection =
        PROT_EXEC | (mapping.readable ? PROT_READ : 0u) | (mapping.writable ? PROT_WRITE : 0u);
    map.flags = mapping.shared ? MAP_SHARED : MAP_PRIVATE;
    map.file = mapping.path.empty() ? "//anon" : mapping.path;
    return map;
}

void describe_process(const SysRoot& root, pid_t pid, base::ByteWriter& out) {
    describe_threads(root, pid, out);
    describe_mappings(root, pid, out);
}

void describe_all_processes(const SysRoot& root, base::ByteWriter& out) {
    for (const pid_t pid : proc::list_processes(root).value_or({}))
        describe_process(root, pid, out);
}

}  // namespace ringside::record
