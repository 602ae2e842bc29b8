// What happens at the guest's accesses to memory; paid for at each.
#include "softpmu/chosen.h"
#include "softpmu/count.h"

namespace ringside::softpmu {

namespace {

template <bool Samples, bool Lends, typename Address>
void model_access(Vcpu& vcpu, std::uint64_t accessed, bool store, Address address) {
    if (vcpu.memory->translations.misses(accessed)) {
        add<Samples, Lends>(vcpu, store ? SOFT_DTLB_STORE_MISS_MODEL : SOFT_DTLB_LOAD_MISS_MODEL, 1,
                            address);
    }
    if (!vcpu.memory->level_1.misses(accessed)) return;
    add<Samples, Lends>(vcpu, SOFT_L1D_MISS_MODEL, 1, address);
    if (vcpu.memory->level_2.misses(accessed)) {
        add<Samples, Lends>(vcpu, SOFT_L2_MISS_MODEL, 1, address);
    }
}

// Where a block may reach devices. To ask QEMU costs more than all the rest. Programs do not reach
// any, but for those that have one mapped; kernels have them in their half, and what comes before a
// kernel may have them anywhere.
enum class Devices : std::uint8_t { nowhere, in_upper_half, anywhere };

template <Devices devices>
bool may_reach_device(std::uint64_t address) {
    if constexpr (devices == Devices::in_upper_half) return is_upper_half(address);
    return devices == Devices::anywhere;
}

Devices devices_of(std::uint64_t block) {
    if (!plugin.whole_machine || !plugin.options.memory) return Devices::nowhere;
    if (!plugin.kernel_began) return Devices::anywhere;
    return is_upper_half(block) ? Devices::in_upper_half : Devices::nowhere;
}

bool is_store(qemu_plugin_meminfo_t info) {
    return (info & plugin.store_bits) != 0;
}

template <bool Models, bool Samples, bool Lends>
void count_access(Vcpu& vcpu, qemu_plugin_meminfo_t info, std::uint64_t accessed, void* data) {
    const auto address = [&](std::uint64_t) { return reinterpret_cast<std::uint64_t>(data); };
    add<Samples, Lends>(vcpu, is_store(info) ? SOFT_STORES : SOFT_LOADS, 1, address);
    if constexpr (Models) model_access<Samples, Lends>(vcpu, accessed, is_store(info), address);
}

// A vCPU that the page does not know yet, or what may be a device. Apart, for it calls others, and
// most accesses need not keep registers for that.
template <bool Models, Devices devices, bool Samples, bool Lends>
[[gnu::noinline]] void on_rare_access(unsigned index, qemu_plugin_meminfo_t info,
                                      std::uint64_t accessed, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    if (may_reach_device<devices>(accessed)) {
        const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, accessed);
        if (is_device(place)) {
            count_access<false, Samples, Lends>(vcpu, info, accessed, data);
            const auto ip = reinterpret_cast<std::uint64_t>(data);
            count_device(vcpu, place, {accessed, ip, is_store(info)});
            return;
        }
    }
    count_access<Models, Samples, Lends>(vcpu, info, accessed, data);
}

// `data` is where the instruction lies.
template <bool Models, Devices devices, bool Samples, bool Lends>
void on_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t accessed, void* data) {
    Vcpu& vcpu = place_of(index);
    if (vcpu.shown == nullptr || may_reach_device<devices>(accessed)) {
        return on_rare_access<Models, devices, Samples, Lends>(index, info, accessed, data);
    }
    count_access<Models, Samples, Lends>(vcpu, info, accessed, data);
}

}  // namespace

void count_io(Vcpu& vcpu, std::uint64_t ip) {
    const auto here = [&](std::uint64_t) { return ip; };
    if (vcpu.lent != nullptr) {
        add<true, true>(vcpu, SOFT_IO, 1, here);
    } else {
        add<true, false>(vcpu, SOFT_IO, 1, here);
    }
}

// At every level 1 that is one bit; which one is QEMU's business.
qemu_plugin_meminfo_t find_store_bits() {
    qemu_plugin_meminfo_t bits = 0;
    for (qemu_plugin_meminfo_t bit = 1; bit != 0; bit <<= 1) {
        if (qemu_plugin_mem_is_store(bit)) bits |= bit;
    }
    return bits;
}

void on_port_read(unsigned index, void* address) {
    count_port(vcpu_at(index), false, reinterpret_cast<std::uint64_t>(address));
}
void on_port_write(unsigned index, void* address) {
    count_port(vcpu_at(index), true, reinterpret_cast<std::uint64_t>(address));
}

qemu_plugin_vcpu_mem_cb_t access_callback(std::uint64_t block) {
    const PluginOptions& options = plugin.options;
    const Devices devices = devices_of(block);
    return chosen(
        [&](auto models, auto samples, auto lends) -> qemu_plugin_vcpu_mem_cb_t {
            switch (devices) {
                case Devices::nowhere:
                    return on_access<models, Devices::nowhere, samples, lends>;
                case Devices::in_upper_half:
                    return on_access<models, Devices::in_upper_half, samples, lends>;
                case Devices::anywhere:
                    return on_access<models, Devices::anywhere, samples, lends>;
            }
            return nullptr;
        },
        options.caches, options.period != 0, plugin.guest_page.is_open());
}

}  // namespace ringside::softpmu
