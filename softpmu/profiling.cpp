// A machine that is profiled: samples know the guest's task, and accesses to devices their cost.
#include <optional>

#include <sys/resource.h>

#include "base/clock.h"
#include "softpmu/own_mappings.h"
#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

// How often the calling thread left its CPU, of its own will or not.
std::uint64_t context_switches() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint64_t>(usage.ru_nivcsw) + static_cast<std::uint64_t>(usage.ru_nvcsw);
}

// Linux maps devices there, and with it many other things; asking QEMU about each address would
// cost more than all the rest. Documentation/x86/x86_64/mm.rst: vmalloc and ioremap; fixmap.
// Documentation/arm64/memory.rst: the same, and behind it what describes the memory's pages; the
// kernel's image is at the front of it.
bool may_be_device(std::uint64_t address) {
    if (plugin.guest == Guest::arm64) {
        return address >= plugin.profile.shown().kernel.image_end && address < 0xfffffc0000000000u;
    }
    const bool mapped = address >= 0xffffc90000000000u && address < 0xffffe90000000000u;
    return mapped || address >= 0xffffffffff000000u;
}

void sample_device_time(const Vcpu& vcpu, std::uint64_t ip, std::uint64_t cost_ns,
                        std::uint64_t at_ns) {
    const std::uint64_t period = plugin.options.device_period_ns;
    std::uint64_t& gathered = vcpu.profile->device_ns;
    gathered += cost_ns;
    if (gathered < period) return;
    plugin.profile.add_sample(SOFT_SAMPLE_DEVICE_NS, ip, gathered - gathered % period, vcpu.index,
                              at_ns);
    gathered %= period;
    if (vcpu.index < SOFT_PROFILE_CPUS) {
        vcpu.profile->rate.show(plugin.profile.shown().host[vcpu.index]);
    }
}

void finish_access(Vcpu& vcpu, DeviceAccess access, std::uint64_t now) {
    VcpuProfile& profile = *vcpu.profile;
    access.cost_ns = profile.clock.reached(now);
    access.off_cpu = profile.off_cpu.was_off(access.cost_ns.value_or(0), now, context_switches);
    plugin.profile.add_access(access);
    if (access.cost_ns && !access.off_cpu) {
        sample_device_time(vcpu, access.ip, *access.cost_ns, now);
    }
    profile.clock.go_on(base::now_ns());
}

void finish_port(Vcpu& vcpu) {
    VcpuProfile& profile = *vcpu.profile;
    if (profile.port_ip == nowhere) [[likely]]
        return;
    const std::uint64_t now = base::now_ns();
    DeviceAccess access;
    access.ip = std::exchange(profile.port_ip, nowhere);
    access.is_write = profile.port_is_write;
    access.device = count_port(vcpu, access.is_write, access.ip);
    finish_access(vcpu, access, now);
}

void on_kernel_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    finish_port(vcpu);
    vcpu.profile->clock.enter(static_cast<const Block*>(data)->start,
                              [] { return base::now_ns(); });
}

void on_kernel_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t accessed,
                      void* ip) {
    if (!may_be_device(accessed)) [[likely]]
        return;
    const std::uint64_t now = base::now_ns();
    const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, accessed);
    if (!is_device(place)) return;
    Vcpu& vcpu = vcpu_at(index);
    DeviceAccess access;
    access.ip = reinterpret_cast<std::uint64_t>(ip);
    access.is_write = qemu_plugin_mem_is_store(info);
    const auto device = count_device(vcpu, place, {accessed, access.ip, access.is_write});
    if (device) {
        access.device = *device;
        finish_access(vcpu, access, now);
    } else {
        vcpu.profile->clock.reached(now);
        vcpu.profile->clock.go_on(base::now_ns());
    }
}

void on_task_switch(unsigned index, qemu_plugin_meminfo_t /*info*/, std::uint64_t accessed,
                    void* /*unused*/) {
    plugin.profile.switch_task(index, accessed);
}

template <bool Write>
void on_kernel_port(unsigned index, void* ip) {
    Vcpu& vcpu = vcpu_at(index);
    finish_port(vcpu);
    vcpu.profile->port_ip = reinterpret_cast<std::uint64_t>(ip);
    vcpu.profile->port_is_write = Write;
    vcpu.profile->clock.go_on(base::now_ns());
}

void on_behind_port(unsigned index, void* /*unused*/) {
    finish_port(vcpu_at(index));
}

// Whether all of it can be read.
bool is_mapped(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t reached = begin;
    for_each_mapping([&](const proc::Mapping& mapping) {
        if (mapping.start <= reached && mapping.end > reached && mapping.readable)
            reached = mapping.end;
    });
    return reached >= begin + bytes;
}

// Which place in the machine's memory a kernel's instruction has, if its address tells. On x86-64
// that follows from where the kernel is mapped; on arm64 it begins with its addresses not
// translated.
std::optional<std::uint64_t> place_in_memory(std::uint64_t address, std::uint64_t bytes) {
    if (plugin.guest == Guest::arm64) {
        const bool inside = address >= SOFT_ARM64_RAM_BASE && address - SOFT_ARM64_RAM_BASE < bytes;
        return inside ? std::optional(address - SOFT_ARM64_RAM_BASE) : std::nullopt;
    }
    constexpr std::uint64_t modules_begin = 0xffffffffc0000000u;
    const bool in_image = address >= SOFT_X86_IMAGE_BASE && address < modules_begin;
    return in_image ? std::optional(address - SOFT_X86_IMAGE_BASE) : std::nullopt;
}

}  // namespace

void begin_profile(Vcpu& vcpu) {
    vcpu.profile = new VcpuProfile;
    vcpu.profile->rate.begin();
}

void add_profile_sample(const Vcpu& vcpu, std::uint64_t ip) {
    plugin.profile.add_sample(SOFT_SAMPLE_INSTRUCTIONS, ip, plugin.options.period, vcpu.index,
                              base::now_ns());
}

// Programs that reach devices themselves, by a mapping, are not timed: it would cost all the others
// too much.
void watch_devices(qemu_plugin_tb* translated, Block& block) {
    qemu_plugin_register_vcpu_tb_exec_cb(translated, on_kernel_block, QEMU_PLUGIN_CB_NO_REGS,
                                         &block);
    bool behind_port = false;
    for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(translated); ++i) {
        auto* instruction = qemu_plugin_tb_get_insn(translated, i);
        const auto bytes = bytes_of(instruction);
        void* ip = reinterpret_cast<void*>(qemu_plugin_insn_vaddr(instruction));
        if (qemu_plugin_insn_vaddr(instruction) == plugin.profile.switch_load()) {
            qemu_plugin_register_vcpu_mem_cb(instruction, on_task_switch, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, nullptr);
        }
        if (std::exchange(behind_port, is_port_access(plugin.guest, bytes))) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_behind_port,
                                                   QEMU_PLUGIN_CB_NO_REGS, nullptr);
        }
        if (behind_port) {
            const bool write = is_port_write(bytes);
            qemu_plugin_register_vcpu_insn_exec_cb(
                instruction, write ? on_kernel_port<true> : on_kernel_port<false>,
                QEMU_PLUGIN_CB_NO_REGS, ip);
        } else {
            qemu_plugin_register_vcpu_mem_cb(instruction, on_kernel_access, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, ip);
        }
    }
}

// The kernel's own code tells where in QEMU the machine's memory lies.
void find_memory(const qemu_plugin_tb* translated) {
    const std::uint64_t bytes = plugin.options.ram_mb << 20;
    if (!plugin.memory.empty() || bytes == 0) return;
    const auto offset = place_in_memory(qemu_plugin_tb_vaddr(translated), bytes);
    if (!offset) return;
    const void* place = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(translated, 0));
    const std::uint64_t begin = reinterpret_cast<std::uint64_t>(place) - *offset;
    if (place == nullptr || !is_mapped(begin, bytes)) return;
    plugin.memory =
        GuestMemory({reinterpret_cast<const std::byte*>(begin), bytes},
                    plugin.guest == Guest::arm64 ? bytes : GuestMemory::low_bytes_of(bytes));
}

}  // namespace ringside::softpmu
