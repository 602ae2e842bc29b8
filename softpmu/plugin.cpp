// The soft PMU: a QEMU plugin that counts what a guest executes, per vCPU, into a shared page.
// Works in qemu-user, where the guest is one program, and in qemu-system, where it is a machine.
#include "softpmu/plugin.h"

#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <unistd.h>

#ifndef RINGSIDE_PLUGIN_LEVEL
#define RINGSIDE_PLUGIN_LEVEL 1
#endif
int qemu_plugin_version = RINGSIDE_PLUGIN_LEVEL;

namespace ringside::softpmu {

Plugin& plugin = *new Plugin;
Vcpu vcpus[SOFT_VCPUS + 1];

namespace {

// A thread's vCPU number is given to another one later. Both ends are heard: while QEMU forgets
// what to call (alone.cpp), it does not tell of a thread that ends.
void on_vcpu_given(qemu_plugin_id_t /*id*/, unsigned index) {
    if (index >= SOFT_VCPUS) return;
    const std::lock_guard lock(plugin.mutex);
    if (vcpus[index].shown != nullptr) plugin.store.end_thread(index);
    vcpus[index].forget();
}

void on_system_call(qemu_plugin_id_t /*id*/, unsigned index, std::int64_t number, std::uint64_t a1,
                    std::uint64_t a2, std::uint64_t a3, std::uint64_t a4, std::uint64_t a5,
                    std::uint64_t /*a6*/, std::uint64_t /*a7*/, std::uint64_t /*a8*/) {
    settle_with_second(index);
    if (begins_thread(plugin.guest, number, a1)) end_alone();
    const ExecuteCall call = execute_call(plugin.guest, number, {a1, a2, a3, a4, a5});
    if (!call.is_one) return;
    const std::string name = execute_emulated(call, plugin.guest_base, plugin.program, plugin.self);
    if (!name.empty()) plugin.store.add_uncounted(name);
}

void after_fork_in_child() {
    if (const int error = plugin.store.reopen_after_fork(); error != 0) {
        std::fprintf(stderr, "ringside: process %d is not counted: %s\n", ::getpid(),
                     std::strerror(error));
    }
    for (Vcpu& vcpu : vcpus) vcpu.forget();
    if (plugin.alone) claim(0, vcpus[0]);
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

// Empty, or what is wrong.
std::string lend_to_guest(const qemu_info_t& info) {
    if (!info.system_emulation || plugin.options.hot) {
        return "guest=FD is for a machine whose events are counted";
    }
    const GuestPage::Layout layout{static_cast<std::uint32_t>(info.max_vcpus), plugin.guest,
                                   plugin.options.counters(true)};
    const int error = plugin.guest_page.open(static_cast<int>(plugin.options.guest_socket), layout);
    return error == 0 ? "" : std::string("it cannot reach the guest: ") + std::strerror(error);
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
    if (info.system_emulation && info.max_vcpus > static_cast<int>(SOFT_VCPUS)) {
        return refuse("it counts up to " + std::to_string(SOFT_VCPUS) + " vCPUs, and this machine" +
                      " may have " + std::to_string(info.max_vcpus));
    }
    plugin.guest = machine == EM_AARCH64 ? Guest::arm64 : Guest::x86_64;
    plugin.whole_machine = info.system_emulation;
    if (!find_store_bit()) return refuse("this QEMU does not tell stores from loads");
    Dl_info self{};
    ::dladdr(&qemu_plugin_version, &self);
    const std::string file = self.dli_fname != nullptr ? self.dli_fname : "";
    plugin.self = {plugin_argument(file, words), file, plugin.options.folder};

    StoreOptions store{plugin.options.folder,
                       machine,
                       plugin.options.counters(info.system_emulation),
                       plugin.options.period,
                       plugin.options.hot ? std::uint64_t{1} << 20 : 0,
                       plugin.options.profile ? ProfileLog::bytes() : 0};
    if (const int error = plugin.store.open(store); error != 0) {
        return refuse("it cannot write to " + store.folder + ": " + std::strerror(error));
    }
    if (plugin.options.profile) {
        if (!info.system_emulation) return refuse("mode=profile is for machines");
        plugin.profile.open(plugin.store.profile(), plugin.store.extension().profile_offset,
                            plugin.options.device_period_ns);
    }
    if (plugin.options.guest_socket != 0) {
        if (const auto wrong = lend_to_guest(info); !wrong.empty()) return refuse(wrong);
    }
    plugin.id = id;
    if (plugin.options.starts_off) {
        if (!info.system_emulation) return refuse("start=off is for machines");
        start_off();
    }
    plugin.alone = can_count_alone();
    listen(id);
    if (info.system_emulation) return 0;
    ::pthread_atfork([] { plugin.mutex.lock(); }, [] { plugin.mutex.unlock(); },
                     after_fork_in_child);
    return 0;
}

}  // namespace

void listen(qemu_plugin_id_t id) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_flush_cb(id, on_code_forgotten);
    if (plugin.whole_machine) return;
    qemu_plugin_register_vcpu_init_cb(id, on_vcpu_given);
    qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_given);
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
}

}  // namespace ringside::softpmu

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
    return ringside::softpmu::install(id, *info, {argv, static_cast<std::size_t>(argc)});
}
