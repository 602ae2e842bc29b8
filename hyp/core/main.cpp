// Boots: read this first. hyp_main() is called once, with a stack and nothing else; what it returns
// is entered.
#include <new>

#include "hyp/arch/gic.h"
#include "hyp/core/fdt.h"
#include "hyp/core/hypervisor.h"
#include "hyp/core/power.h"
#include "hyp/platform/console.h"
#include "hyp/platform/virt.h"

namespace ringside::hyp {

namespace {

constexpr unsigned table_count = 96;

Manifest manifest;
Table tables[table_count];
alignas(Guest) std::byte guest_storage[max_guests][sizeof(Guest)];
alignas(Hypervisor) std::byte hypervisor_storage[sizeof(Hypervisor)];

[[noreturn]] void give_up(const char* what, std::uint64_t where) {
    print_line("hyp: refused line=", where, " reason=\"", what, "\"");
    print_line("hyp: end");
    power_off();
}

std::span<const std::uint8_t> device_tree() {
    return {reinterpret_cast<const std::uint8_t*>(platform::device_tree),
            platform::device_tree_bytes};
}

void read_manifest() {
    const auto* text = reinterpret_cast<const char*>(platform::manifest);
    std::size_t length = 0;
    while (length < platform::manifest_bytes && text[length] != '\0') ++length;
    const Range ram = find_memory(device_tree());
    const ManifestProblem problem =
        parse_manifest({text, length}, ram, platform::reserved, manifest);
    if (problem) give_up(problem.what, problem.line);
}

// A guest with a device tree gets a copy that tells of its own memory.
void write_device_tree(const Guest& guest, const GuestSpec& spec) {
    if (spec.device_tree == 0) return;
    const std::uint64_t to_end = spec.guest_memory().end - spec.device_tree;
    const std::uint64_t room =
        to_end < platform::device_tree_bytes ? to_end : platform::device_tree_bytes;
    auto* to = static_cast<std::uint8_t*>(guest.reach(spec.device_tree, room));
    const GuestTree tree{spec.guest_memory(), spec.initrd, spec.boot_arguments,
                         vpmu::traits_of(spec.policy).name,
                         guest.has_pmu_registers() ? 0 : platform::pmu_interrupt};
    if (write_guest_tree(device_tree(), tree, {to, room}) == 0) {
        give_up("a guest's device tree does not fit", 0);
    }
}

Hypervisor& make_hypervisor() {
    return *new (hypervisor_storage) Hypervisor(manifest);
}

void make_guests(Hypervisor& hypervisor) {
    static TablePool pool(tables, table_count);
    for (unsigned i = 0; i < manifest.guest_count; ++i) {
        const GuestSpec& spec = manifest.guests[i];
        if (!hypervisor.add_guest(spec, guest_storage[i], pool)) {
            give_up("the guests need more translation tables than there are", 0);
        }
        write_device_tree(*std::launder(reinterpret_cast<Guest*>(guest_storage[i])), spec);
    }
}

}  // namespace

extern "C" Frame* hyp_main() {
    enable_el2_translation();
    read_manifest();
    set_up_el2();
    gic::set_up();
    Hypervisor& hypervisor = make_hypervisor();
    make_guests(hypervisor);
    hypervisor.add_host_events();
    return hypervisor.start();
}

}  // namespace ringside::hyp
