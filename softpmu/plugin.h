// What the plugin knows while QEMU runs, and the callbacks that QEMU gets.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "softpmu/block.h"
#include "softpmu/device_clock.h"
#include "softpmu/device_pages.h"
#include "softpmu/execute.h"
#include "softpmu/flow.h"
#include "softpmu/guest_page.h"
#include "softpmu/host_rate.h"
#include "softpmu/models.h"
#include "softpmu/options.h"
#include "softpmu/profile_log.h"
#include "softpmu/qemu_plugin_api.h"
#include "softpmu/store.h"

namespace ringside::softpmu {

// Of a vCPU in a machine that is profiled.
struct VcpuProfile {
    DeviceClock clock;
    OffCpuWatch off_cpu;
    HostRate rate;
    std::uint64_t device_ns = 0;  // since the last sample of it
    // An access to a port that began, and where; QEMU does not say when it is done.
    std::uint64_t port_ip = nowhere;
    bool port_is_write = false;
};

struct alignas(256) Vcpu {
    vpmu_page_counter* counter = nothing_counted;  // on its page, once that knows it
    std::uint64_t look_at = 0;        // the count at which there is more to do than to count
    vpmu_page_vcpu* shown = nullptr;  // null: the page does not know it yet, or the thread it runs
    vpmu_page_vcpu* lent = nullptr;   // the copy that the guest sees, if it does
    vpmu_page_alarms* alarms = nullptr;
    std::uint32_t index = 0;
    std::uint32_t thread = 0;
    std::uint32_t sampled = 0;    // a counter of these
    std::uint64_t sample_at = 0;  // its count at the next sample
    Flow flow;
    // Where the last repeated instruction lies, and how much was executed when it was.
    std::uint64_t repeated = nowhere;
    std::uint64_t executed_by_then = 0;
    BranchPredictor* predictor = nullptr;
    MemoryModel* memory = nullptr;
    DevicePages* devices = nullptr;  // from its first access to one on
    VcpuProfile* profile = nullptr;

    // Another thread may run on it next.
    void forget() {
        shown = nullptr;
        forget_way();
    }
    // How it came where it is.
    void forget_way() {
        flow.forget();
        look_at = 0;
        repeated = nowhere;
        if (profile != nullptr) profile->port_ip = nowhere;
    }

  private:
    static inline vpmu_page_counter nothing_counted[VPMU_PAGE_COUNTERS]{};
};

// Which is the kernel's, on both architectures.
inline bool is_upper_half(std::uint64_t address) {
    return (address >> 55 & 1) != 0;
}

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct Plugin {
    qemu_plugin_id_t id = 0;
    PluginOptions options;
    Guest guest = Guest::x86_64;
    bool whole_machine = false;
    SelfPlugin self;      // for what the guest executes
    std::string program;  // that the guest executes
    std::uint64_t guest_base = 0;
    bool began = false;
    bool kernel_began = false;         // in a machine, after its firmware
    bool off = false;                  // a machine that does not count for now
    bool alone = false;                // a program that has one thread, and is counted so
    std::uint64_t owed_to_second = 0;  // instructions of its second thread

    Store store;
    GuestPage guest_page;
    ProfileLog profile;
    GuestMemory memory;  // of a machine that is profiled, once it was found
    std::mutex mutex;    // for what follows, and for the store's slow ways
    std::unordered_multimap<std::uint64_t, Block*> blocks;
    std::vector<Range> mapped;  // of which the list of mappings was written
};

// QEMU's callbacks carry no state of ours, so there must be one of each. They are never destroyed:
// vCPUs still run while a process ends. The last vCPU stands for all that the page has no room for.
extern Plugin& plugin;
extern Vcpu vcpus[SOFT_VCPUS + 1];

// Where QEMU is to call or to count: at the begin of a block, or of one instruction in it.
class Spot {
  public:
    explicit Spot(qemu_plugin_tb* block) : block_(block) {}
    explicit Spot(qemu_plugin_insn* instruction) : instruction_(instruction) {}

    void call(qemu_plugin_vcpu_udata_cb_t callback, void* data) const;
    void add(std::uint64_t& count, std::uint64_t amount) const;

  private:
    qemu_plugin_tb* block_ = nullptr;
    qemu_plugin_insn* instruction_ = nullptr;
};

// When code is executed; which of them depends on the options.
qemu_plugin_vcpu_udata_cb_t machine_block_callback(const Block& block);
qemu_plugin_vcpu_udata_cb_t program_block_callback(const Block& block);
// Of a block that begins there.
qemu_plugin_vcpu_mem_cb_t access_callback(std::uint64_t block);
// Whether QEMU tells stores from loads as expected.
bool find_store_bit();
void on_port_read(unsigned index, void* address);
void on_port_write(unsigned index, void* address);
// The vCPU runs a thread that the page does not know yet. With the mutex, or taking it.
void claim(unsigned index, Vcpu& vcpu);
void claim_locked(unsigned index, Vcpu& vcpu);

inline Vcpu& place_of(unsigned index) {
    if (index >= SOFT_VCPUS) [[unlikely]]
        return vcpus[SOFT_VCPUS];
    return vcpus[index];
}
inline Vcpu& vcpu_at(unsigned index) {
    Vcpu& vcpu = place_of(index);
    if (vcpu.shown == nullptr) [[unlikely]]
        claim_locked(index, vcpu);
    return vcpu;
}
void count_io(Vcpu& vcpu, std::uint64_t ip);

// Of a machine, accesses to its devices: devices.cpp. These count one more, and return the device's
// place in the extension's table, if it is known yet.
struct Access {
    std::uint64_t address = 0;
    std::uint64_t ip = 0;  // of the instruction
    bool is_write = false;
};
bool is_device(const qemu_plugin_hwaddr* place);
std::optional<std::uint32_t> count_device(Vcpu& vcpu, const qemu_plugin_hwaddr* place,
                                          const Access& access);
std::uint32_t count_port(Vcpu& vcpu, bool is_write, std::uint64_t ip);

// Of a program with one thread: alone.cpp.
bool can_count_alone();
bool begins_thread(Guest guest, std::int64_t number, std::uint64_t flags);
void end_alone();
// Before a system call, with which a second thread may end before it has counts of its own.
void settle_with_second(unsigned index);
void count_alone(const Spot& spot, const Block& block);

// Of a machine that is profiled: profiling.cpp.
void begin_profile(Vcpu& vcpu);
void add_profile_sample(const Vcpu& vcpu, std::uint64_t ip);
void watch_devices(qemu_plugin_tb* translated, Block& block);
void find_memory(const qemu_plugin_tb* translated);

// Before a block that ends with an instruction of the system: whether counting is to be switched.
void on_look_at_switch(unsigned index, void* unused);
void start_off();
// All translated code is gone, and no vCPU runs.
void on_code_forgotten(qemu_plugin_id_t id);

// Has QEMU tell what a program or a machine does, from now on.
void listen(qemu_plugin_id_t id);

std::span<const std::uint8_t> bytes_of(const qemu_plugin_insn* instruction);
// When QEMU translates a block of code.
void on_translate(qemu_plugin_id_t id, qemu_plugin_tb* translated);

}  // namespace ringside::softpmu
