// The memory of a small Linux machine, made by hand: a CPU with a task, its mappings in a maple
// tree of two levels, and the names of the files mapped.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "softpmu/tasks.h"

namespace ringside::softpmu {

class MadeKernel {
  public:
    static constexpr std::uint64_t direct = SOFT_X86_DIRECT_BASE;
    static constexpr std::uint64_t image = SOFT_X86_IMAGE_BASE;
    // Physical addresses.
    static constexpr std::uint64_t banner = 0x1000;
    static constexpr std::uint64_t offsets = 0x2000;
    static constexpr std::uint64_t cpu_area = 0x3000;
    static constexpr std::uint64_t task = 0x4000;
    static constexpr std::uint64_t mm = 0x5000;
    static constexpr std::uint64_t root_node = 0x6000;
    static constexpr std::uint64_t leaf_node = 0x6100;
    static constexpr std::uint64_t area = 0x7000;
    static constexpr std::uint64_t file = 0x8000;
    static constexpr std::uint64_t dentry = 0x9000;  // and a page for each parent
    static constexpr std::uint64_t code = 0x555555554000;
    static constexpr std::uint64_t code_end = 0x555555560000;

    static constexpr std::uint64_t switch_code = 0x1f000;
    static constexpr std::uint64_t switch_load = switch_code + 12;

    static constexpr std::uint64_t memory_bytes = 0x20000;

    MadeKernel() : memory_(memory_bytes) {
        facts.known = 1;
        facts.image_base = image;
        facts.direct_base = direct;
        facts.banner = image + banner;
        facts.per_cpu_offsets = image + offsets;
        facts.current_task = 0x80;
        facts.task_tid = 16;
        facts.task_pid = 20;
        facts.task_comm = 32;
        facts.task_mm = 64;
        facts.mm_root = 8;
        facts.map_start = 0;
        facts.map_end = 8;
        facts.map_offset = 16;
        facts.map_file = 24;
        facts.file_name = 24;
        facts.name_text = 40;
        facts.name_parent = 24;
        facts.node_pivots = 8;
        facts.node_slots = 128;
        facts.gap_node_pivots = 8;
        facts.gap_node_slots = 80;
        put_text(banner, "Linux version 6.1.0-test");
        put(offsets + 8, direct + cpu_area);  // of CPU 1
        put(cpu_area + 0x80, direct + task);
        put<std::uint32_t>(task + 16, 4711);
        put<std::uint32_t>(task + 20, 4700);
        put_text(task + 32, "worker");
        put(task + 64, direct + mm);
        make_maps();
        name(dentry, "tool", dentry + 0x1000);
        name(dentry + 0x1000, "bin", dentry + 0x2000);
        name(dentry + 0x2000, "/", dentry + 0x2000);
    }

    template <typename T = std::uint64_t>
    void put(std::uint64_t physical, T value) {
        std::memcpy(memory_.data() + physical, &value, sizeof value);
    }
    void put_text(std::uint64_t physical, const std::string& text) {
        std::memcpy(memory_.data() + physical, text.c_str(), text.size() + 1);
    }
    void name(std::uint64_t entry, const std::string& text, std::uint64_t parent) {
        put(entry + 24, direct + parent);
        put(entry + 40, direct + entry + 100);
        put_text(entry + 100, text);
    }

    // On arm64, where no variable has the task: the switch stores what the last one had in its
    // registers, then loads those of the next.
    void make_switch_code() {
        facts.switch_code = image + switch_code;
        facts.task_context = 0x100;
        put<std::uint32_t>(switch_code + 4, 0xa8815113);  // stp x19, x20, [x8], #16
        put<std::uint32_t>(switch_code + 8, 0xa8825915);  // stp x21, x22, [x8], #32
        put<std::uint32_t>(switch_load, 0xa8c15113);      // ldp x19, x20, [x8], #16
    }

    std::vector<std::byte>& memory() { return memory_; }
    TaskFinder finder() const { return {facts, GuestMemory(std::span(memory_), memory_.size())}; }

    soft_kernel facts{};

  private:
    void make_maps() {
        constexpr std::uint64_t type_gaps = 3 << 3 | 4;
        constexpr std::uint64_t type_leaf = 1 << 3 | 4;
        put(mm + 8, direct + root_node + type_gaps + 2);
        // Of the root's two children, the second has what is above code - 1.
        put(root_node + 8, code - 1);
        put(root_node + 80 + 8, direct + leaf_node + type_leaf);
        put(leaf_node + 8, code_end - 1);
        put(leaf_node + 128, direct + area);
        put(area, code);
        put(area + 8, code_end);
        put(area + 16, std::uint64_t{3});
        put(area + 24, direct + file);
        put(file + 24, direct + dentry);
    }

    std::vector<std::byte> memory_;
};

}  // namespace ringside::softpmu
