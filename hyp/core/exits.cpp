// Why a guest was left, and what is done about it.
#include "abi/hypercall.h"
#include "hyp/arch/identification.h"
#include "hyp/arch/sysreg.h"
#include "hyp/arch/trap.h"
#include "hyp/core/hypervisor.h"
#include "hyp/core/inject.h"
#include "hyp/core/psci.h"
#include "hyp/platform/virt.h"
#include "vpmu/registers.h"

namespace ringside::hyp {

namespace {

using vpmu::ExitReason;

// The same to C, for guests' drivers.
static_assert(sizeof(hypercall_pmu_control) == sizeof(vpmu::LogicalControl));
static_assert(offsetof(hypercall_pmu_control, selector) ==
              offsetof(vpmu::LogicalControl, selector));
static_assert(offsetof(hypercall_pmu_control, value) == offsetof(vpmu::LogicalControl, value));

constexpr std::uint16_t sgi1r = vpmu::sysreg(3, 0, 12, 11, 5);   // ICC_SGI1R_EL1
constexpr std::uint16_t asgi1r = vpmu::sysreg(3, 0, 12, 11, 6);  // for the other security state
constexpr std::uint16_t sgi0r = vpmu::sysreg(3, 0, 12, 11, 7);
constexpr std::uint16_t mdscr = vpmu::sysreg(2, 0, 0, 2, 2);
constexpr std::uint16_t pmmir = vpmu::sysreg(3, 0, 9, 14, 6);

ExitReason reason_of_hypercall(std::uint32_t function) {
    switch (function) {
        case HYPERCALL_YIELD:
            return ExitReason::other;
        case HYPERCALL_PMU_PAGE:
        case HYPERCALL_PMU_CONFIGURE:
            return ExitReason::pmu_access;
        default:
            return ExitReason::fast;
    }
}

// ICC_SGI1R_EL1: INTID 27:24; the guest has one CPU, affinity 0, so it can only mean itself.
void send_to_itself(VirtualGic& gic, std::uint64_t value) {
    constexpr std::uint64_t all_but_me = 1ull << 40;
    if ((value & all_but_me) == 0 && (value & 1) != 0) {
        gic.send(static_cast<unsigned>(value >> 24) & 15);
    }
}

// Breakpoints and watchpoints read as none; MDSCR_EL1 is the guest's own.
std::uint64_t read_debug(std::uint16_t encoding) {
    return encoding == mdscr ? HYP_READ(mdscr_el1) : 0;
}
void write_debug(std::uint16_t encoding, std::uint64_t value) {
    if (encoding == mdscr) HYP_WRITE(mdscr_el1, value);
}

}  // namespace

Frame* Hypervisor::on_sync(Guest& guest) {
    const std::uint64_t esr = HYP_READ(esr_el2);
    leave(guest);
    switch (trap_kind(esr)) {
        case TrapKind::wait:
            on_wait(guest);
            break;
        case TrapKind::hypercall:
            on_hypercall(guest);
            break;
        case TrapKind::firmware:
            on_firmware_call(guest);
            break;
        case TrapKind::sysreg:
            on_sysreg(guest, esr);
            break;
        case TrapKind::data_abort:
        case TrapKind::instruction_abort:
            on_memory_abort(guest, esr);
            break;
        case TrapKind::other:
            cpu_.exit(guest.vcpu, ExitReason::other);
            ++guest.undefined;
            inject_undefined(guest.frame);
            break;
    }
    return go_on();
}

Frame* Hypervisor::on_serror(Guest& guest) {
    leave(guest);
    cpu_.exit(guest.vcpu, ExitReason::other);
    guest.stop("serror", guest.frame.pc);
    return go_on();
}

void Hypervisor::on_wait(Guest& guest) {
    ++guest.exits.wait;
    cpu_.exit(guest.vcpu, ExitReason::other);
    guest.frame.pc += instruction_bytes;
    guest.state = GuestState::waiting;
}

void Hypervisor::on_hypercall(Guest& guest) {
    ++guest.exits.hypercall;
    const auto function = static_cast<std::uint32_t>(guest.frame.x[0]);
    cpu_.exit(guest.vcpu, reason_of_hypercall(function));
    std::int64_t answer = HYPERCALL_OK;
    switch (function) {
        case HYPERCALL_NOTHING:
            break;
        case HYPERCALL_YIELD:
            slice_is_over_ = true;
            break;
        case HYPERCALL_PMU_PAGE:
            answer = set_page(guest, guest.frame.x[1]);
            break;
        case HYPERCALL_PMU_CONFIGURE:
            answer = configure(guest, guest.frame.x[1]);
            break;
        default:
            answer = answer_psci(guest, function);
            break;
    }
    guest.frame.x[0] = static_cast<std::uint64_t>(answer);
}

// SMC: firmware is asked by some guests this way, ours answers the same.
void Hypervisor::on_firmware_call(Guest& guest) {
    ++guest.exits.firmware;
    cpu_.exit(guest.vcpu, ExitReason::fast);
    guest.frame.pc += instruction_bytes;
    const auto function = static_cast<std::uint32_t>(guest.frame.x[0]);
    guest.frame.x[0] = static_cast<std::uint64_t>(answer_psci(guest, function));
}

std::int64_t Hypervisor::set_page(Guest& guest, std::uint64_t address) {
    if (address % 64 != 0) return HYPERCALL_REFUSED;
    if (address == 0) {
        guest.vcpu.page = nullptr;
        return HYPERCALL_OK;
    }
    void* page = guest.reach(address, sizeof(vpmu_page_vcpu));
    if (page == nullptr) return HYPERCALL_REFUSED;
    guest.vcpu.page = static_cast<vpmu_page_vcpu*>(page);
    return HYPERCALL_OK;
}

std::int64_t Hypervisor::configure(Guest& guest, std::uint64_t address) {
    if (address % 8 != 0) return HYPERCALL_REFUSED;
    const void* wanted = guest.reach(address, sizeof(vpmu::LogicalControl));
    if (wanted == nullptr) return HYPERCALL_REFUSED;
    // A copy: the guest's memory may change while it is checked.
    const vpmu::LogicalControl control = *static_cast<const vpmu::LogicalControl*>(wanted);
    return cpu_.configure(guest.vcpu, control) ? HYPERCALL_OK : HYPERCALL_REFUSED;
}

void Hypervisor::on_memory_abort(Guest& guest, std::uint64_t esr) {
    cpu_.exit(guest.vcpu, ExitReason::other);
    const std::uint64_t address = fault_address(HYP_READ(hpfar_el2), HYP_READ(far_el2));
    const bool is_data = trap_kind(esr) == TrapKind::data_abort;
    if (is_data && emulate_device(guest, address, esr)) {
        ++guest.exits.device;
        guest.frame.pc += instruction_bytes;
        return;
    }
    if (is_data && forward(guest, address, esr)) return;
    guest.stop("outside", address);
}

bool Hypervisor::emulate_device(Guest& guest, std::uint64_t address, std::uint64_t esr) {
    const MemoryAccess access = decode_memory_access(esr);
    if (!access.is_decoded || access.from_table_walk) return false;
    const std::uint64_t value = guest.frame.get(access.rt);
    const auto finish_read = [&](std::uint64_t got) {
        if (!access.is_write) guest.frame.set(access.rt, loaded_value(access, got));
    };
    VirtualGic& gic = guest.gic;
    if (const std::uint64_t offset = address - platform::distributor;
        offset < platform::distributor_bytes) {
        if (access.is_write) {
            gic.write_distributor(offset, access.bytes, value);
            follow_distributor(guest, offset);
        }
        finish_read(gic.read_distributor(offset, access.bytes));
        return true;
    }
    if (const std::uint64_t offset = address - platform::redistributor;
        offset < platform::redistributor_bytes) {
        if (access.is_write) gic.write_redistributor(offset, access.bytes, value);
        finish_read(gic.read_redistributor(offset, access.bytes));
        return true;
    }
    // A serial port that only sends, and is always ready to.
    if (const std::uint64_t offset = address - platform::uart;
        !guest.spec.devices && offset < platform::uart_bytes) {
        if (access.is_write && offset == 0) {
            guest.console.put(guest.spec.name, static_cast<char>(value));
        }
        finish_read(0);
        return true;
    }
    return false;
}

void Hypervisor::on_sysreg(Guest& guest, std::uint64_t esr) {
    const SysregAccess access = decode_sysreg_access(esr);
    if (is_pmu_register(access.encoding)) return on_pmu_register(guest, esr);
    ++guest.exits.sysreg;
    cpu_.exit(guest.vcpu, ExitReason::fast);
    Frame& frame = guest.frame;
    if (access.encoding == sgi1r && !access.is_read) {
        send_to_itself(guest.gic, frame.get(access.rt));
    } else if ((access.encoding == sgi0r || access.encoding == asgi1r) && !access.is_read) {
        // Group 0 and the other security state do not exist for a guest.
    } else if (is_identification(access.encoding) && access.is_read) {
        frame.set(access.rt, read_identification_without_pmu(access.encoding));
    } else if (is_debug_register(access.encoding)) {
        if (access.is_read) {
            frame.set(access.rt, read_debug(access.encoding));
        } else {
            write_debug(access.encoding, frame.get(access.rt));
        }
    } else {
        ++guest.undefined;
        return inject_undefined(frame);
    }
    frame.pc += instruction_bytes;
}

void Hypervisor::on_pmu_register(Guest& guest, std::uint64_t esr) {
    ++guest.exits.pmu;
    cpu_.exit(guest.vcpu, ExitReason::pmu_access);
    const SysregAccess access = decode_sysreg_access(esr);
    Frame& frame = guest.frame;
    const vpmu::Register which = vpmu::decode_sysreg(guest.vm.model, access.encoding);
    const auto privilege = frame.is_user() ? vpmu::Privilege::user : vpmu::Privilege::kernel;
    vpmu::Outcome outcome = vpmu::Outcome::undefined;
    if (access.encoding == pmmir && access.is_read && !frame.is_user()) {
        frame.set(access.rt, 0);  // no STALL_SLOT event
        outcome = vpmu::Outcome::done;
    } else if (access.is_read) {
        const vpmu::Access got = read_pmu(guest, which, privilege);
        if (got.outcome != vpmu::Outcome::undefined) frame.set(access.rt, got.value);
        outcome = got.outcome;
    } else {
        outcome = cpu_.write(guest.vcpu, which, frame.get(access.rt), privilege);
    }
    if (outcome != vpmu::Outcome::undefined) {
        frame.pc += instruction_bytes;
        return;
    }
    ++guest.undefined;
    // What PMUSERENR_EL0 denies to EL0 traps to EL1; what does not exist is undefined.
    const bool denied = frame.is_user() && which.kind != vpmu::RegisterKind::none;
    denied ? inject(frame, esr) : inject_undefined(frame);
}

// A paravirtual guest reads the hardware's counter: its page says what that means.
vpmu::Access Hypervisor::read_pmu(Guest& guest, vpmu::Register which, vpmu::Privilege privilege) {
    const bool raw = !guest.has_pmu_registers() && which.kind == vpmu::RegisterKind::counter;
    if (!raw) return cpu_.read(guest.vcpu, which, privilege);
    return {vpmu::Outcome::done, counters_.read_counter(which.slot)};
}

}  // namespace ringside::hyp
