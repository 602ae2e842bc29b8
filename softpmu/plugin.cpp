// The soft PMU: a QEMU plugin that counts what a guest executes, per vCPU, into a shared page.
// Works in qemu-user, where the guest is one program, and in qemu-system, where it is a machine.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "softpmu/block.h"
#include "softpmu/execute.h"
#include "softpmu/flow.h"
#include "softpmu/models.h"
#include "softpmu/options.h"
#include "softpmu/qemu_plugin_api.h"
#include "softpmu/store.h"

#ifndef RINGSIDE_PLUGIN_LEVEL
#define RINGSIDE_PLUGIN_LEVEL 1
#endif
int qemu_plugin_version = RINGSIDE_PLUGIN_LEVEL;

namespace ringside::softpmu {
namespace {

struct alignas(64) Vcpu {
    vpmu_page_vcpu* shown = nullptr;
    bool claimed = false;  // the page knows it, and the thread that it runs
    std::uint32_t thread = 0;
    std::uint64_t left = 0;  // instructions to the next sample
    Flow flow;
    BranchPredictor* predictor = nullptr;
    MemoryModel* memory = nullptr;
};

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// QEMU's callbacks carry no state of ours, so there must be one of these. It is never destroyed:
// vCPUs still run while a process ends.
struct Plugin {
    PluginOptions options;
    Guest guest = Guest::x86_64;
    bool whole_machine = false;
    SelfPlugin self;      // for what the guest executes
    std::string program;  // that the guest executes
    std::uint64_t guest_base = 0;
    bool began = false;

    Store store;
    std::vector<Vcpu> vcpus = std::vector<Vcpu>(SOFT_VCPUS);
    Vcpu beyond;  // all vCPUs that the page has no room for
    vpmu_page_vcpu beyond_shown = {};

    std::mutex mutex;  // for what follows, and for the store's slow ways
    std::unordered_multimap<std::uint64_t, Block*> blocks;
    std::vector<Range> mapped;  // of which the list of mappings was written
};
Plugin& plugin = *new Plugin;

// One writer for each vCPU; readers load whenever they like.
void add(vpmu_page_vcpu& vcpu, soft_counter counter, std::uint64_t amount) {
    std::atomic_ref<std::uint64_t> raw(vcpu.counter[counter].raw);
    raw.store(raw.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

void claim(unsigned index, Vcpu& vcpu) {
    const std::lock_guard lock(plugin.mutex);
    vcpu.claimed = true;
    vcpu.flow.forget();
    vcpu.thread = plugin.whole_machine ? index : static_cast<std::uint32_t>(::gettid());
    if (vcpu.left == 0) vcpu.left = plugin.options.period;
    if (plugin.options.predictor && !vcpu.predictor) vcpu.predictor = new BranchPredictor;
    if (plugin.options.caches && !vcpu.memory) vcpu.memory = new MemoryModel;
    if (&vcpu == &plugin.beyond) {
        vcpu.shown = &plugin.beyond_shown;
        ++plugin.store.extension().uncounted_vcpus;
        return;
    }
    plugin.store.show_vcpus(index + 1);
    vcpu.shown = &plugin.store.vcpu(index);
    if (!plugin.whole_machine) plugin.store.begin_thread(index, vcpu.thread);
}

Vcpu& vcpu_at(unsigned index) {
    Vcpu& vcpu = index < SOFT_VCPUS ? plugin.vcpus[index] : plugin.beyond;
    if (!vcpu.claimed) [[unlikely]]
        claim(index, vcpu);
    return vcpu;
}

// Every period-th instruction, exactly, however many of them are in one block.
void sample(Vcpu& vcpu, const Block& block, const Step& step) {
    if (step.instructions <= 0) {
        vcpu.left += static_cast<std::uint64_t>(-step.instructions);
        return;
    }
    const auto executed = static_cast<std::uint64_t>(step.instructions);
    std::uint64_t done = 0;
    while (executed - done >= vcpu.left) {
        done += vcpu.left;
        const std::size_t index = std::min<std::size_t>(step.skipped + done - 1, block.count - 1);
        plugin.store.add_sample(block.start + block.offsets[index], vcpu.thread);
        vcpu.left = plugin.options.period;
    }
    vcpu.left -= executed - done;
}

template <bool Predicts, bool Samples>
void on_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    const Block& block = *static_cast<const Block*>(data);
    const Step step = vcpu.flow.enter(block);
    const auto instructions = static_cast<std::uint64_t>(step.instructions);
    add(*vcpu.shown, SOFT_INSTRUCTIONS, instructions);
    if (block.in_kernel) add(*vcpu.shown, SOFT_KERNEL_INSTRUCTIONS, instructions);
    if (step.branched != nullptr) {
        add(*vcpu.shown, SOFT_BRANCHES, 1);
        if (step.taken) add(*vcpu.shown, SOFT_TAKEN_BRANCHES, 1);
        if constexpr (Predicts) {
            const bool guessed = step.branched->end == End::conditional;
            if (guessed && vcpu.predictor->misses(step.branched->last, step.taken)) {
                add(*vcpu.shown, SOFT_BRANCH_MISS_MODEL, 1);
            }
        }
    }
    if constexpr (Samples) sample(vcpu, block, step);
}

void model_access(Vcpu& vcpu, std::uint64_t address, bool store) {
    vpmu_page_vcpu& shown = *vcpu.shown;
    if (vcpu.memory->translations.misses(address)) {
        add(shown, store ? SOFT_DTLB_STORE_MISS_MODEL : SOFT_DTLB_LOAD_MISS_MODEL, 1);
    }
    if (!vcpu.memory->level_1.misses(address)) return;
    add(shown, SOFT_L1D_MISS_MODEL, 1);
    if (vcpu.memory->level_2.misses(address)) add(shown, SOFT_L2_MISS_MODEL, 1);
}

// The device's place in the table; the last one is for all that had no room.
soft_device& device_named(const char* name) {
    soft_extension& extension = plugin.store.extension();
    const std::lock_guard lock(plugin.mutex);
    std::uint64_t i = 0;
    for (; i < extension.device_count; ++i) {
        if (std::strncmp(extension.device[i].name, name, sizeof extension.device[i].name - 1) ==
            0) {
            return extension.device[i];
        }
    }
    if (i == SOFT_DEVICES) return extension.device[SOFT_DEVICES - 1];
    const char* shown = i == SOFT_DEVICES - 1 ? "others" : name;
    std::strncpy(extension.device[i].name, shown, sizeof extension.device[i].name - 1);
    std::atomic_ref(extension.device_count).store(i + 1, std::memory_order_release);
    return extension.device[i];
}

void count_device(Vcpu& vcpu, const char* name, bool store) {
    add(*vcpu.shown, SOFT_IO, 1);
    soft_device& device = device_named(name);
    std::atomic_ref(store ? device.writes : device.reads).fetch_add(1, std::memory_order_relaxed);
}

template <bool Models, bool FindsDevices>
void on_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t address, void* /*data*/) {
    Vcpu& vcpu = vcpu_at(index);
    const bool store = qemu_plugin_mem_is_store(info);
    add(*vcpu.shown, store ? SOFT_STORES : SOFT_LOADS, 1);
    if constexpr (FindsDevices) {
        const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, address);
        if (place != nullptr && qemu_plugin_hwaddr_is_io(place)) {
            count_device(vcpu, qemu_plugin_hwaddr_device_name(place), store);
            return;
        }
    }
    if constexpr (Models) model_access(vcpu, address, store);
}

// Which port is in a register, which QEMU does not show.
void on_port_access(unsigned index, void* data) {
    count_device(vcpu_at(index), "x86 ports", data != nullptr);
}

std::span<const std::uint8_t> bytes_of(const qemu_plugin_insn* instruction) {
    return {static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
            qemu_plugin_insn_size(instruction)};
}

// The upper half of the address space is the kernel's, on both architectures.
bool is_kernel_address(std::uint64_t address) {
    return plugin.whole_machine && (address >> 55 & 1) != 0;
}

Block describe(const qemu_plugin_tb* translated) {
    Block block;
    block.count = static_cast<std::uint32_t>(qemu_plugin_tb_n_insns(translated));
    block.start = qemu_plugin_tb_vaddr(translated);
    const auto* last = qemu_plugin_tb_get_insn(translated, block.count - 1);
    block.last = qemu_plugin_insn_vaddr(last);
    block.next = block.last + qemu_plugin_insn_size(last);
    const Ending ending = ending_of(plugin.guest, bytes_of(last), block.last);
    block.end = ending.kind;
    block.target = ending.target;
    block.in_kernel = is_kernel_address(block.start);
    block.offsets.reserve(block.count);
    for (std::uint32_t i = 0; i < block.count; ++i) {
        const auto address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, i));
        block.offsets.push_back(static_cast<std::uint16_t>(address - block.start));
    }
    return block;
}

// QEMU translates the same code again and again; the counts of its blocks stay together.
Block* keep(Block&& block, bool& is_new) {
    const std::uint64_t key = block.start * 0x9e3779b97f4a7c15u ^ block.next;
    const auto [first, last] = plugin.blocks.equal_range(key);
    for (auto at = first; at != last; ++at) {
        if (*at->second == block) return at->second;
    }
    is_new = true;
    return plugin.blocks.emplace(key, new Block(std::move(block)))->second;
}

void count_hot(qemu_plugin_tb* translated) {
    static auto& places = *new std::unordered_map<const Block*, soft_hot_block*>;
    bool is_new = false;
    const Block* block = keep(describe(translated), is_new);
    soft_hot_block*& place = places[block];
    if (is_new) {
        place = plugin.store.new_hot_block();
        if (place != nullptr) {
            place->start = block->start;
            place->instructions = block->count;
            place->bytes = static_cast<std::uint32_t>(block->next - block->start);
        }
    }
    if (place == nullptr) return;
    qemu_plugin_register_vcpu_tb_exec_inline(translated, QEMU_PLUGIN_INLINE_ADD_U64,
                                             &place->executed, 1);
}

qemu_plugin_vcpu_udata_cb_t block_callback() {
    const PluginOptions& options = plugin.options;
    if (options.predictor)
        return options.period != 0 ? on_block<true, true> : on_block<true, false>;
    return options.period != 0 ? on_block<false, true> : on_block<false, false>;
}

qemu_plugin_vcpu_mem_cb_t access_callback() {
    const PluginOptions& options = plugin.options;
    const bool devices = plugin.whole_machine && options.memory;
    if (options.caches) return devices ? on_access<true, true> : on_access<true, false>;
    return devices ? on_access<false, true> : on_access<false, false>;
}

void watch_accesses(const qemu_plugin_tb* translated) {
    const auto callback = access_callback();
    const bool ports = plugin.whole_machine && plugin.options.memory;
    for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(translated); ++i) {
        auto* instruction = qemu_plugin_tb_get_insn(translated, i);
        // Level 1 has the two kinds mixed up; a callback for both sees every access once.
        qemu_plugin_register_vcpu_mem_cb(instruction, callback, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, nullptr);
        const auto bytes = bytes_of(instruction);
        if (!ports || !is_port_access(plugin.guest, bytes)) continue;
        // Bit 1 of the opcode, the last byte but for the port's number, tells out from in.
        const std::uint8_t opcode = bytes.size() > 1 && (bytes[bytes.size() - 2] & 0xfc) == 0xe4
                                        ? bytes[bytes.size() - 2]
                                        : bytes.back();
        const bool out = (opcode & 2) != 0;
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_port_access, QEMU_PLUGIN_CB_NO_REGS,
                                               out ? &plugin : nullptr);
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
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    char line[4352];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        Range range;
        char* rest = nullptr;
        range.begin = std::strtoull(line, &rest, 16) - plugin.guest_base;
        range.end = std::strtoull(rest + 1, nullptr, 16) - plugin.guest_base;
        plugin.mapped.push_back(range);
    }
    if (maps != nullptr) std::fclose(maps);
    if (std::none_of(plugin.mapped.begin(), plugin.mapped.end(), holds)) {
        plugin.mapped.push_back({address & ~std::uint64_t{4095}, (address | 4095) + 1});
    }
}

// Only now QEMU knows which program it runs, and where the guest's memory lies in its own.
void begin(const qemu_plugin_tb* translated) {
    plugin.began = true;
    if (plugin.whole_machine) return;
    const auto* first = qemu_plugin_tb_get_insn(translated, 0);
    if (const void* place = qemu_plugin_insn_haddr(first)) {
        plugin.guest_base = reinterpret_cast<std::uint64_t>(place) - qemu_plugin_insn_vaddr(first);
    }
    if (const char* path = qemu_plugin_path_to_binary()) plugin.program = path;
    plugin.store.extension().guest_base = plugin.guest_base;
    std::strncpy(plugin.store.extension().program, plugin.program.c_str(), SOFT_NAME_BYTES - 1);
}

void on_translate(qemu_plugin_id_t /*id*/, qemu_plugin_tb* translated) {
    const std::lock_guard lock(plugin.mutex);
    if (!plugin.began) begin(translated);
    const PluginOptions& options = plugin.options;
    if (options.hot) {
        count_hot(translated);
    } else {
        bool is_new = false;
        qemu_plugin_register_vcpu_tb_exec_cb(translated, block_callback(), QEMU_PLUGIN_CB_NO_REGS,
                                             keep(describe(translated), is_new));
        if (options.memory || options.caches) watch_accesses(translated);
    }
    const bool located = options.hot || options.period != 0;
    if (located && !plugin.whole_machine) note_mapping(qemu_plugin_tb_vaddr(translated));
}

// A thread's vCPU number is given to another one later.
void on_vcpu_exit(qemu_plugin_id_t /*id*/, unsigned index) {
    if (index >= SOFT_VCPUS) return;
    const std::lock_guard lock(plugin.mutex);
    if (plugin.vcpus[index].claimed) plugin.store.end_thread(index);
    plugin.vcpus[index].claimed = false;
}

void on_system_call(qemu_plugin_id_t /*id*/, unsigned /*vcpu*/, std::int64_t number,
                    std::uint64_t a1, std::uint64_t a2, std::uint64_t a3, std::uint64_t a4,
                    std::uint64_t a5, std::uint64_t /*a6*/, std::uint64_t /*a7*/,
                    std::uint64_t /*a8*/) {
    const ExecuteCall call = execute_call(plugin.guest, number, {a1, a2, a3, a4, a5});
    if (!call.is_one) return;
    const std::string name = execute_emulated(call, plugin.guest_base, plugin.program, plugin.self);
    if (name.empty()) return;
    soft_extension& extension = plugin.store.extension();
    const std::lock_guard lock(plugin.mutex);
    if (extension.uncounted_programs++ == 0) {
        std::strncpy(extension.first_uncounted, name.c_str(), SOFT_NAME_BYTES - 1);
    }
}

void after_fork_in_child() {
    if (const int error = plugin.store.reopen_after_fork(); error != 0) {
        std::fprintf(stderr, "ringside: process %d is not counted: %s\n", ::getpid(),
                     std::strerror(error));
    }
    for (Vcpu& vcpu : plugin.vcpus) vcpu.claimed = false;
    plugin.beyond.claimed = false;
    plugin.mutex.unlock();
}

int refuse(const std::string& why) {
    std::fprintf(stderr, "ringside: the soft PMU cannot start: %s\n", why.c_str());
    return -1;
}

std::uint32_t machine_of(const char* target) {
    if (std::strcmp(target, "x86_64") == 0) return EM_X86_64;
    if (std::strcmp(target, "aarch64") == 0) return EM_AARCH64;
    return EM_NONE;
}

int install(qemu_plugin_id_t id, const qemu_info_t& info, std::span<char* const> words) {
    if (info.version.min > qemu_plugin_version || info.version.cur < qemu_plugin_version) {
        return refuse("it is for level " + std::to_string(qemu_plugin_version) +
                      " of QEMU's plugin interface, and this QEMU has " +
                      std::to_string(info.version.min) + " to " + std::to_string(info.version.cur));
    }
    const std::uint32_t machine = machine_of(info.target_name);
    if (machine == EM_NONE) {
        return refuse(std::string("it knows x86_64 and aarch64, not ") + info.target_name);
    }
    if (const auto wrong = plugin.options.read(words); !wrong.empty()) return refuse(wrong);
    plugin.guest = machine == EM_AARCH64 ? Guest::arm64 : Guest::x86_64;
    plugin.whole_machine = info.system_emulation;
    Dl_info self{};
    ::dladdr(&qemu_plugin_version, &self);
    const std::string file = self.dli_fname != nullptr ? self.dli_fname : "";
    plugin.self = {plugin_argument(file, words), file, plugin.options.folder};

    StoreOptions store{plugin.options.folder, machine,
                       plugin.options.counters(info.system_emulation), plugin.options.period,
                       plugin.options.hot ? std::uint64_t{1} << 20 : 0};
    if (const int error = plugin.store.open(store); error != 0) {
        return refuse("it cannot write to " + store.folder + ": " + std::strerror(error));
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    if (info.system_emulation) return 0;
    qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    ::pthread_atfork([] { plugin.mutex.lock(); }, [] { plugin.mutex.unlock(); },
                     after_fork_in_child);
    return 0;
}

}  // namespace
}  // namespace ringside::softpmu

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
    return ringside::softpmu::install(id, *info, {argv, static_cast<std::size_t>(argc)});
}
