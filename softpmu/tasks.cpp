#include "softpmu/tasks.h"

#include <algorithm>
#include <cstring>

namespace ringside::softpmu {

namespace {

constexpr std::uint32_t most_tasks = 1u << 22;  // Linux, PID_MAX_LIMIT

// What a terminal or a table cannot show becomes a '?'.
char shown(char c) {
    return c >= 0x20 && c < 0x7f ? c : '?';
}

// Linux, lib/maple_tree.c: what a pointer to a node says in its lowest bits.
namespace maple {
constexpr std::uint64_t kind_bits = 3;
constexpr std::uint64_t is_node = 2;  // in a tree's root
constexpr std::uint64_t node_mask = 255;
constexpr int deepest = 16;  // 10^16 mappings

enum Type : unsigned { dense, leaf, range, range_with_gaps };
unsigned type_of(std::uint64_t node) {
    return static_cast<unsigned>(node >> 3 & 15);
}
unsigned slots_of(unsigned type) {
    return type == range_with_gaps ? 10 : 16;
}
}  // namespace maple

}  // namespace

bool TaskFinder::copy(std::uint64_t address, void* into, std::size_t count) const {
    if (address >= kernel_.image_base) {
        return memory_.copy(address - kernel_.image_base, into, count);
    }
    return address >= kernel_.direct_base &&
           memory_.copy(address - kernel_.direct_base, into, count);
}

bool TaskFinder::is_right() const {
    if (kernel_.switch_code != 0) return switch_load() != 0;
    constexpr char expected[] = "Linux version ";
    char banner[sizeof expected - 1];
    return copy(kernel_.banner, banner, sizeof banner) &&
           std::memcmp(banner, expected, sizeof banner) == 0;
}

std::optional<Task> TaskFinder::current(std::uint32_t cpu) const {
    std::uint64_t area = 0;
    std::uint64_t address = 0;
    const bool there = read(kernel_.per_cpu_offsets + cpu * sizeof area, area) &&
                       read(area + kernel_.current_task, address);
    return there ? at(address) : std::nullopt;
}

// Linux, arch/arm64/kernel/entry.S: cpu_switch_to stores the registers of the task it leaves, by
// x8, and loads those of the next one, by x8.
std::uint64_t TaskFinder::switch_load() const {
    constexpr std::uint32_t store_first = 0xa8815113;  // stp x19, x20, [x8], #16
    constexpr std::uint32_t load_first = 0xa8c15113;   // ldp x19, x20, [x8], #16
    constexpr std::uint64_t longest = 64;              // of this code, in instructions
    bool stored = false;
    for (std::uint64_t i = 0; kernel_.switch_code != 0 && i < longest; ++i) {
        std::uint32_t instruction = 0;
        const std::uint64_t address = kernel_.switch_code + i * sizeof instruction;
        if (!read(address, instruction)) return 0;
        stored = stored || instruction == store_first;
        if (stored && instruction == load_first) return address;
    }
    return 0;
}

std::optional<Task> TaskFinder::at(std::uint64_t address) const {
    Task task;
    char comm[SOFT_COMM_BYTES] = {};
    const bool there =
        read(address + kernel_.task_pid, task.pid) && read(address + kernel_.task_tid, task.tid) &&
        read(address + kernel_.task_mm, task.mm) && read(address + kernel_.task_comm, comm);
    if (!there || task.pid > most_tasks || task.tid > most_tasks) return std::nullopt;
    const auto length = ::strnlen(comm, sizeof comm - 1);
    std::transform(comm, comm + length, task.comm, shown);
    return task;
}

std::uint64_t TaskFinder::child_of(std::uint64_t node, std::uint64_t address) const {
    const unsigned type = maple::type_of(node);
    const bool gaps = type == maple::range_with_gaps;
    const std::uint64_t begin = node & ~maple::node_mask;
    const unsigned slots = maple::slots_of(type);
    unsigned slot = 0;
    for (; slot < slots - 1; ++slot) {
        std::uint64_t pivot = 0;
        const auto pivots = gaps ? kernel_.gap_node_pivots : kernel_.node_pivots;
        if (!read(begin + pivots + slot * sizeof pivot, pivot)) return 0;
        // A 0 behind the first is the end of those in use.
        if (address <= pivot || (slot > 0 && pivot == 0)) break;
    }
    std::uint64_t child = 0;
    const auto children = gaps ? kernel_.gap_node_slots : kernel_.node_slots;
    return read(begin + children + slot * sizeof child, child) ? child : 0;
}

std::uint64_t TaskFinder::find_area(std::uint64_t mm, std::uint64_t address) const {
    std::uint64_t entry = 0;
    if (!read(mm + kernel_.mm_root, entry) || (entry & maple::kind_bits) != maple::is_node) {
        return 0;
    }
    for (int depth = 0; depth < maple::deepest; ++depth) {
        const unsigned type = maple::type_of(entry);
        if (type == maple::dense || type > maple::range_with_gaps) return 0;
        entry = child_of(entry, address);
        if (type == maple::leaf) return entry;
    }
    return 0;
}

std::optional<std::string> TaskFinder::name_of(std::uint64_t dentry) const {
    constexpr std::size_t longest = 255;  // Linux, NAME_MAX
    std::uint64_t text = 0;
    if (!read(dentry + kernel_.name_text, text)) return std::nullopt;
    std::string name;
    for (char c = 0; name.size() <= longest; name += shown(c)) {
        if (!read(text + name.size(), c)) return std::nullopt;
        if (c == 0) return name;
    }
    return std::nullopt;
}

// Within its file system: where that is mounted is not looked at.
std::optional<std::string> TaskFinder::path_of(std::uint64_t dentry) const {
    std::string path;
    while (path.size() < SOFT_PATH_BYTES) {
        std::uint64_t parent = 0;
        if (!read(dentry + kernel_.name_parent, parent)) return std::nullopt;
        if (parent == dentry) return path.empty() ? std::nullopt : std::optional(path);
        const auto name = name_of(dentry);
        if (!name || name->empty() || name->find('/') != std::string::npos) return std::nullopt;
        path.insert(0, "/" + *name);
        dentry = parent;
    }
    return std::nullopt;
}

std::optional<soft_map> TaskFinder::mapping(std::uint64_t mm, std::uint64_t address) const {
    constexpr std::uint64_t page = 4096;
    const std::uint64_t area = mm == 0 ? 0 : find_area(mm, address);
    if (area == 0) return std::nullopt;
    soft_map map{};
    std::uint64_t file = 0;
    std::uint64_t dentry = 0;
    const bool there =
        read(area + kernel_.map_start, map.start) && read(area + kernel_.map_end, map.end) &&
        read(area + kernel_.map_offset, map.file_offset) && read(area + kernel_.map_file, file) &&
        read(file + kernel_.file_name, dentry);
    if (!there || address < map.start || address >= map.end) return std::nullopt;
    const auto path = path_of(dentry);
    if (!path || path->size() >= sizeof map.path) return std::nullopt;
    map.file_offset *= page;
    std::memcpy(map.path, path->data(), path->size());
    return map;
}

}  // namespace ringside::softpmu
