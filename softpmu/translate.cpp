// What happens when QEMU translates a block of the guest's code: what it is, and who is called when
// it is executed.
#include <algorithm>
#include <cstring>
#include <utility>

#include "softpmu/own_mappings.h"
#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

// `count` instructions of it, from `first` on. Their offsets are there until the next call.
Block describe(const qemu_plugin_tb* translated, std::size_t first, std::size_t count) {
    static std::vector<std::uint16_t> offsets;
    offsets.clear();
    Block block;
    block.count = static_cast<std::uint32_t>(count);
    block.start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, first));
    for (std::size_t i = first; i < first + count; ++i) {
        block.last = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, i));
        offsets.push_back(static_cast<std::uint16_t>(block.last - block.start));
    }
    block.offsets = offsets.data();
    block.predicted_at = BranchPredictor::place_of(block.last);
    const auto* last = qemu_plugin_tb_get_insn(translated, first + count - 1);
    block.bytes =
        static_cast<std::uint16_t>(block.last + qemu_plugin_insn_size(last) - block.start);
    block.set_ending(ending_of(plugin.guest, bytes_of(last), block.last));
    block.in_kernel = plugin.whole_machine && is_upper_half(block.start);
    if (block.in_kernel) plugin.kernel_began = true;
    return block;
}

soft_hot_block* hot_place(const Block& block) {
    soft_hot_block* place = plugin.store.new_hot_block();
    if (place == nullptr) return nullptr;
    place->start = block.start;
    place->instructions = block.count;
    place->bytes = block.bytes;
    return place;
}

// A copy that stays.
Block& kept_copy(const Block& block) {
    auto* offsets = new std::uint16_t[block.count];
    std::copy_n(block.offsets, block.count, offsets);
    auto* kept = new Block(block);
    kept->offsets = offsets;
    return *kept;
}

// QEMU translates the same code again and again; the counts of its blocks stay together.
Block& keep(const Block& block) {
    const std::uint64_t key = block.start * 0x9e3779b97f4a7c15u ^ block.last;
    const auto [first, last] = plugin.blocks.equal_range(key);
    for (auto at = first; at != last; ++at) {
        if (at->second->is_same_code(block)) return *at->second;
    }
    Block& kept = kept_copy(block);
    if (plugin.options.hot) kept.hot = hot_place(block);
    plugin.blocks.emplace(key, &kept);
    return kept;
}

Block& count(const Spot& spot, const Block& described) {
    Block& block = keep(described);
    if (plugin.options.hot) {
        if (block.hot != nullptr) spot.add(block.hot->executed, 1);
    } else if (plugin.alone && block.end != End::repeated) {
        count_alone(spot, block);
    } else {
        spot.call(
            plugin.whole_machine ? machine_block_callback(block) : program_block_callback(block),
            &block);
    }
    return block;
}

// QEMU also tells of an instruction that it began to translate, and left to the next block when it
// found that it reaches into another page. Only if the last one is executed it belongs to the
// block, so it counts for itself. (Who follows all blocks sees that it comes next.)
bool may_lack_its_last(const Block& block) {
    constexpr std::uint64_t longest_instruction = 15;
    constexpr std::uint64_t page = 4096;
    const bool near_end = block.last % page + longest_instruction > page;
    return plugin.guest == Guest::x86_64 && block.end == End::none && block.count > 1 && near_end;
}

void count_executed(qemu_plugin_tb* translated) {
    const PluginOptions& options = plugin.options;
    const std::size_t instructions = qemu_plugin_tb_n_insns(translated);
    Block whole = describe(translated, 0, instructions);
    const bool follows_all = !options.hot && options.follows_branches() && !plugin.whole_machine;
    if (!follows_all && may_lack_its_last(whole)) {
        const std::size_t last = instructions - 1;
        count(Spot(qemu_plugin_tb_get_insn(translated, last)), describe(translated, last, 1));
        whole = describe(translated, 0, last);
    }
    Block& block = count(Spot(translated), whole);
    if (options.profile && block.in_kernel) watch_devices(translated, block);
}

void watch_accesses(const qemu_plugin_tb* translated) {
    const auto callback = access_callback(qemu_plugin_tb_vaddr(translated));
    const bool ports = plugin.whole_machine && plugin.options.memory;
    for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(translated); ++i) {
        auto* instruction = qemu_plugin_tb_get_insn(translated, i);
        // Level 1 has the two kinds mixed up; a callback for both sees every access once.
        void* address = reinterpret_cast<void*>(qemu_plugin_insn_vaddr(instruction));
        qemu_plugin_register_vcpu_mem_cb(instruction, callback, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, address);
        const auto bytes = bytes_of(instruction);
        if (!ports || !is_port_access(plugin.guest, bytes)) continue;
        const bool out = is_port_write(bytes);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, out ? on_port_write : on_port_read,
                                               QEMU_PLUGIN_CB_NO_REGS, address);
    }
}

// The first code from a mapping that was not seen yet: somebody will want to know whose it is.
void note_mapping(std::uint64_t address) {
    const auto holds = [&](const Range& range) {
        return address >= range.begin && address < range.end;
    };
    if (std::any_of(plugin.mapped.begin(), plugin.mapped.end(), holds)) return;
    plugin.store.write_maps();
    plugin.mapped.clear();
    for_each_mapping([](const proc::Mapping& mapping) {
        plugin.mapped.push_back(
            {mapping.start - plugin.guest_base, mapping.end - plugin.guest_base});
    });
    if (std::none_of(plugin.mapped.begin(), plugin.mapped.end(), holds)) {
        plugin.mapped.push_back({address & ~std::uint64_t{4095}, (address | 4095) + 1});
    }
}

// Only now QEMU knows which program it runs, and where the guest's memory lies in its own.
void begin(const qemu_plugin_tb* translated) {
    plugin.began = true;
    if (plugin.whole_machine) return;
    if (plugin.alone) claim(0, vcpus[0]);
    const auto* first = qemu_plugin_tb_get_insn(translated, 0);
    if (const void* place = qemu_plugin_insn_haddr(first)) {
        plugin.guest_base = reinterpret_cast<std::uint64_t>(place) - qemu_plugin_insn_vaddr(first);
    }
    if (const char* path = qemu_plugin_path_to_binary()) plugin.program = path;
    plugin.store.extension().guest_base = plugin.guest_base;
    std::strncpy(plugin.store.extension().program, plugin.program.c_str(), SOFT_NAME_BYTES - 1);
}

// Every system call and return from an interrupt: rare enough to cost nothing, and no machine that
// lives is long without.
void watch_switch(qemu_plugin_tb* translated) {
    const auto* last = qemu_plugin_tb_get_insn(translated, qemu_plugin_tb_n_insns(translated) - 1);
    const auto ending = ending_of(plugin.guest, bytes_of(last), qemu_plugin_insn_vaddr(last));
    if (ending.kind != End::system) return;
    Spot(translated).call(on_look_at_switch, nullptr);
}

}  // namespace

void Spot::call(qemu_plugin_vcpu_udata_cb_t callback, void* data) const {
    if (instruction_ != nullptr) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction_, callback, QEMU_PLUGIN_CB_NO_REGS,
                                               data);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(block_, callback, QEMU_PLUGIN_CB_NO_REGS, data);
    }
}

void Spot::add(std::uint64_t& count, std::uint64_t amount) const {
    if (instruction_ != nullptr) {
        qemu_plugin_register_vcpu_insn_exec_inline(instruction_, QEMU_PLUGIN_INLINE_ADD_U64, &count,
                                                   amount);
    } else {
        qemu_plugin_register_vcpu_tb_exec_inline(block_, QEMU_PLUGIN_INLINE_ADD_U64, &count,
                                                 amount);
    }
}

std::span<const std::uint8_t> bytes_of(const qemu_plugin_insn* instruction) {
    return {static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
            qemu_plugin_insn_size(instruction)};
}

void on_translate(qemu_plugin_id_t /*id*/, qemu_plugin_tb* translated) {
    const std::lock_guard lock(plugin.mutex);
    if (!plugin.began) begin(translated);
    if (plugin.whole_machine) watch_switch(translated);
    if (plugin.profile.is_open()) find_memory(translated);
    if (plugin.off) return;
    const PluginOptions& options = plugin.options;
    count_executed(translated);
    if (!options.hot && (options.memory || options.caches)) watch_accesses(translated);
    const bool located = options.hot || options.period != 0;
    if (located && !plugin.whole_machine) note_mapping(qemu_plugin_tb_vaddr(translated));
}

}  // namespace ringside::softpmu
