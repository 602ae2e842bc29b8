// What happens at the guest's accesses to memory; paid for at each.
#include "softpmu/chosen.h"
#include "softpmu/count.h"

namespace ringside::softpmu {

namespace {

template <bool Samples, bool Lends, typename Address>
[[gnu::always_inline]] inline void model_access(Vcpu& vcpu, std::uint64_t accessed, bool store,
                                                const Address& address) {
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

// Which bit of what QEMU says of an access tells a store from a load. To call QEMU for it at each
// would cost as much as the rest.
unsigned store_bit = 0;

bool is_store(qemu_plugin_meminfo_t info) {
    return (info >> store_bit & 1) != 0;
}

template <bool Models, bool Samples, bool Lends>
[[gnu::always_inline]] inline void count_access(Vcpu& vcpu, qemu_plugin_meminfo_t info,
                                                std::uint64_t accessed, void* data) {
    const auto address = [&](std::uint64_t) { return reinterpret_cast<std::uint64_t>(data); };
    add<Samples, Lends>(vcpu, is_store(info) ? SOFT_STORES : SOFT_LOADS, 1, address);
    if constexpr (Models) model_access<Samples, Lends>(vcpu, accessed, is_store(info), address);
}

// Of what may be a device. Apart, for it calls others, and most accesses need not keep registers
// for that.
template <bool Models, bool Samples, bool Lends>
[[gnu::noinline]] void on_rare_access(Vcpu& vcpu, qemu_plugin_meminfo_t info,
                                      std::uint64_t accessed, void* data) {
    const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, accessed);
    if (is_device(place)) {
        count_access<false, Samples, Lends>(vcpu, info, accessed, data);
        const auto ip = reinterpret_cast<std::uint64_t>(data);
        count_device(vcpu, place, {accessed, ip, is_store(info)});
    } else {
        count_access<Models, Samples, Lends>(vcpu, info, accessed, data);
    }
}

// `data` is where the instruction lies. Its block came first, so the page knows the vCPU.
template <bool Models, Devices devices, bool Samples, bool Lends>
void on_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t accessed, void* data) {
    Vcpu& vcpu = place_of(index);
    if (may_reach_device<devices>(accessed)) {
        return on_rare_access<Models, Samples, Lends>(vcpu, info, accessed, data);
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

// At every level 1 there is one; which one is QEMU's business.
bool find_store_bit() {
    for (store_bit = 0; store_bit < 32; ++store_bit) {
        if (qemu_plugin_mem_is_store(qemu_plugin_meminfo_t{1} << store_bit)) return true;
    }
    return false;
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
