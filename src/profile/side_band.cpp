#include "profile/side_band.h"

#include <algorithm>

#include <fmt/format.h>

namespace ringside::profile {

namespace {

using base::FieldCursor;
using perf::CpuMode;

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return text;
}

// The device, inode and protection of MMAP2, or a build-id in their place.
std::string skip_identity(const perf::DataRecord& record, FieldCursor& cursor) {
    constexpr std::size_t longest = 20;
    std::string build_id;
    if ((record.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) {
        const auto size = cursor.read<std::uint8_t>();
        cursor.skip(3);
        build_id = hex(cursor.take(longest).first(std::min<std::size_t>(size, longest)));
    } else {
        cursor.skip(24);
    }
    cursor.skip(8);  // protection and flags
    return build_id;
}

// Memory without a file: code in it was made while the program ran.
bool is_anonymous(const std::string& path) {
    return path == "//anon" || path.starts_with("/memfd:") || path.starts_with("[anon") ||
           path.starts_with("/anon_hugepage") || path.starts_with("/dev/zero");
}

Module::Kind kind_of(const std::string& path, CpuMode mode) {
    if (mode == CpuMode::guest_kernel) return Module::Kind::guest_kernel;
    if (mode == CpuMode::kernel)
        return path.starts_with("[kernel.") ? Module::Kind::kernel : Module::Kind::kernel_module;
    return is_anonymous(path) ? Module::Kind::generated : Module::Kind::file;
}

}  // namespace

void SideBand::add_lost(std::size_t event, std::uint64_t count) {
    if (lost_.size() <= event) lost_.resize(event + 1);
    lost_[event] += count;
}

void SideBand::take(const perf::DataFile& file, const perf::DataRecord& record) {
    const std::size_t event = file.events().empty() ? 0 : file.event_of(record);
    if (event >= file.events().size()) return;
    const auto& layout = file.events()[event].layout;
    const auto who = perf::decode_record_id(record.body, layout, file.order());
    const bool timed = who && (layout.sample_type & PERF_SAMPLE_TIME) != 0;
    const std::uint64_t time_ns = timed ? who->time_ns : record.position;
    const auto guest = file.guest_of(record);
    const std::uint32_t machine = guest ? guest->machine_pid : 0;
    if (guest) machines_.insert(machine);
    FieldCursor cursor(record.body, file.order());
    switch (record.type) {
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2:
            return take_map(record, cursor, time_ns, machine);
        case PERF_RECORD_COMM:
            return take_comm(record, cursor, time_ns, machine);
        case PERF_RECORD_FORK:
            return take_fork(record, cursor, time_ns, machine);
        case PERF_RECORD_CGROUP:
            return take_cgroup(record, cursor, time_ns);
        case PERF_RECORD_KSYMBOL:
            return take_kernel_symbol(record, cursor, time_ns, machine);
        case PERF_RECORD_LOST:
            cursor.skip(sizeof(std::uint64_t));
            return add_lost(event, cursor.u64());
        case PERF_RECORD_LOST_SAMPLES:
            return add_lost(event, cursor.u64());
        default:
            return;
    }
}

void SideBand::take_map(const perf::DataRecord& record, FieldCursor cursor, std::uint64_t time_ns,
                        std::uint32_t machine) {
    const std::uint32_t pid = cursor.u32();
    cursor.skip(sizeof(std::uint32_t));
    Mapping where;
    where.start = cursor.u64();
    const std::uint64_t size = cursor.u64();
    where.end = where.start + size < where.start ? ~std::uint64_t{0} : where.start + size;
    where.file_offset = cursor.u64();
    Module module;
    if (record.type == PERF_RECORD_MMAP2) module.build_id = skip_identity(record, cursor);
    module.path = cursor.text();
    const CpuMode mode = perf::cpu_mode(record.misc);
    const bool data = (record.misc & PERF_RECORD_MISC_MMAP_DATA) != 0;
    if (!cursor.ok() || data) return;
    module.kind = kind_of(module.path, mode);
    module.pid = pid;
    module.machine = machine;
    if (module.kind == Module::Kind::generated && machine != 0) {
        module.kind = Module::Kind::file;  // what the guest's compilers noted lies in the guest
        module.path = "[anon]";
    }
    if (module.kind == Module::Kind::generated)
        module.path = fmt::format("{}{}.map", jit_map_prefix, pid);
    if (mode == CpuMode::guest_kernel) module.machine = pid;
    if (module.kind == Module::Kind::kernel || module.path.starts_with("[guest.kernel.")) {
        // "[kernel.kallsyms]_text": the name of the symbol it begins with is no part of it.
        module.path = module.path.substr(0, module.path.find(']') + 1);
    }
    changes_.push_back({time_ns, record.position, [=](World& world) {
                            world.map(in_machine(machine, pid), time_ns, where, module, mode);
                        }});
}

void SideBand::take_comm(const perf::DataRecord& record, FieldCursor cursor, std::uint64_t time_ns,
                         std::uint32_t machine) {
    const TaskKey pid = in_machine(machine, cursor.u32());
    const TaskKey tid = in_machine(machine, cursor.u32());
    const std::string comm(cursor.text());
    if (!cursor.ok()) return;
    const bool exec = (record.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
    changes_.push_back({time_ns, record.position,
                        [=](World& world) { world.name_thread(pid, tid, time_ns, comm, exec); }});
}

void SideBand::take_fork(const perf::DataRecord& record, FieldCursor cursor, std::uint64_t time_ns,
                         std::uint32_t machine) {
    const TaskKey pid = in_machine(machine, cursor.u32());
    const TaskKey parent_pid = in_machine(machine, cursor.u32());
    const TaskKey tid = in_machine(machine, cursor.u32());
    const TaskKey parent_tid = in_machine(machine, cursor.u32());
    if (!cursor.ok()) return;
    changes_.push_back({time_ns, record.position, [=](World& world) {
                            world.fork(pid, parent_pid, tid, parent_tid, time_ns);
                        }});
}

void SideBand::take_cgroup(const perf::DataRecord& record, FieldCursor cursor,
                           std::uint64_t time_ns) {
    const std::uint64_t id = cursor.u64();
    const std::string path(cursor.text());
    if (!cursor.ok()) return;
    changes_.push_back(
        {time_ns, record.position, [=](World& world) { world.name_cgroup(id, path); }});
}

// Code that the kernel generated: BPF programs, trampolines.
void SideBand::take_kernel_symbol(const perf::DataRecord& record, FieldCursor cursor,
                                  std::uint64_t time_ns, std::uint32_t machine) {
    Mapping where;
    where.start = cursor.u64();
    where.end = where.start + cursor.u32();
    cursor.skip(sizeof(std::uint16_t));
    const std::uint16_t flags = cursor.u16();
    Module module;
    module.path = cursor.text();
    module.kind = Module::Kind::generated;
    const bool removed = (flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0;
    if (!cursor.ok() || removed) return;
    module.machine = machine;
    const CpuMode mode = machine != 0 ? CpuMode::guest_kernel : CpuMode::kernel;
    changes_.push_back({time_ns, record.position,
                        [=](World& world) { world.map(0, time_ns, where, module, mode); }});
}

void SideBand::replay(World& world) {
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
        return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.position < b.position;
    });
    for (const auto machine : machines_)
        world.name_thread(in_machine(machine, 0), in_machine(machine, 0), 0, "swapper", false);
    for (const auto& change : changes_) change.apply(world);
    changes_.clear();
}

}  // namespace ringside::profile
