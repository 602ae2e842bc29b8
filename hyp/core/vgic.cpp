#include "hyp/core/vgic.h"

#include <bit>

namespace ringside::hyp {

namespace {

// GICD_CTLR: affinity routing cannot be switched off, and there is one security state.
constexpr std::uint32_t control_enable = 1u << 1;  // EnableGrp1
constexpr std::uint32_t control_fixed = 1u << 4 | 1u << 6;
constexpr std::uint32_t implementer_arm = 0x43b;
constexpr std::uint32_t architecture_3 = 0x30;  // PIDR2
constexpr std::uint64_t last_redistributor = 1u << 4;
constexpr std::uint64_t second_frame = 0x10000;

enum Offset : std::uint64_t {
    dist_control = 0x0,
    dist_type = 0x4,
    dist_implementer = 0x8,
    redist_implementer = 0x4,
    redist_type = 0x8,
    redist_wake = 0x14,
    priorities = 0x400,
    priorities_end = 0x800,
    configuration = 0xc00,
    configuration_end = 0xd00,
    identification = 0xffe8,
};

// The registers with one bit for each interrupt, 0x80 bytes each, from 0x80 on.
enum Bank : unsigned {
    group = 1,
    set_enable,
    clear_enable,
    set_pending,
    clear_pending,
    set_active,
    clear_active,
};

// List registers (IHI 0069H, 12.4.9 ICH_LR<n>_EL2).
constexpr std::uint64_t lr_pending = 1ull << 62;
constexpr std::uint64_t lr_active = 1ull << 63;
constexpr std::uint64_t lr_physical = 1ull << 61;
constexpr std::uint64_t lr_group_1 = 1ull << 60;
constexpr std::uint64_t lr_tell_end = 1ull << 41;

constexpr unsigned interrupt_of(std::uint64_t lr) {
    return static_cast<unsigned>(lr & 0xffff'ffff);
}

// Two bits an interrupt, of which the upper one says edge.
std::uint32_t spread(std::uint32_t bits) {
    std::uint32_t wide = 0;
    for (unsigned i = 0; i < 16; ++i) wide |= (bits >> i & 1) << (2 * i + 1);
    return wide;
}
std::uint32_t gathered(std::uint32_t wide) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 16; ++i) bits |= (wide >> (2 * i + 1) & 1) << i;
    return bits;
}

}  // namespace

VirtualGic::VirtualGic(bool owns_devices) : limit_(owns_devices ? max_interrupts : 32) {
    edge_[0] = 0xffff;  // SGIs
}

void VirtualGic::set(Bits& bits, unsigned interrupt, bool on) {
    const std::uint32_t bit = 1u << interrupt % 32;
    bits[interrupt / 32] = on ? bits[interrupt / 32] | bit : bits[interrupt / 32] & ~bit;
}

std::uint32_t VirtualGic::read_word(unsigned bank, unsigned word) const {
    switch (bank) {
        case Bank::group:
            return grouped_[word];
        case Bank::set_enable:
        case Bank::clear_enable:
            return enabled_[word];
        case Bank::set_pending:
        case Bank::clear_pending:
            return latched_[word] | level_[word];
        case Bank::set_active:
        case Bank::clear_active:
            return active_[word];
        default:
            return 0;
    }
}

void VirtualGic::write_word(unsigned bank, unsigned word, std::uint32_t value) {
    switch (bank) {
        case Bank::group:
            grouped_[word] = value;
            break;
        case Bank::set_enable:
            enabled_[word] |= value;
            break;
        case Bank::clear_enable:
            enabled_[word] &= ~value;
            break;
        case Bank::set_pending:
            latched_[word] |= value;
            break;
        case Bank::clear_pending:
            latched_[word] &= ~value;
            break;
        case Bank::set_active:
            active_[word] |= value;
            break;
        case Bank::clear_active:
            active_[word] &= ~value;
            break;
        default:
            break;
    }
}

// `own`: the redistributor's frame, with interrupts 0 to 31; the distributor has the others.
std::uint64_t VirtualGic::read_bank(std::uint64_t offset, unsigned bytes, bool own) const {
    const unsigned first = own ? 0 : 32;
    const unsigned last = own ? 32 : limit_;
    if (offset >= priorities && offset < priorities_end) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i) {
            const auto interrupt = static_cast<unsigned>(offset - priorities) + i;
            if (interrupt < first || interrupt >= last) continue;
            value |= std::uint64_t{priority_[interrupt]} << (8 * i);
        }
        return value;
    }
    if (bytes != 4 || offset % 4 != 0) return 0;
    if (offset >= configuration && offset < configuration_end) {
        const auto interrupt = static_cast<unsigned>(offset - configuration) * 4;
        if (interrupt < first || interrupt >= last) return 0;
        return spread(edge_[interrupt / 32] >> interrupt % 32);
    }
    const auto word = static_cast<unsigned>(offset % 0x80) / 4;
    if (offset >= priorities || word * 32 < first || word * 32 >= last) return 0;
    return read_word(static_cast<unsigned>(offset / 0x80), word);
}

void VirtualGic::write_bank(std::uint64_t offset, unsigned bytes, std::uint64_t value, bool own) {
    const unsigned first = own ? 0 : 32;
    const unsigned last = own ? 32 : limit_;
    if (offset >= priorities && offset < priorities_end) {
        for (unsigned i = 0; i < bytes; ++i) {
            const auto interrupt = static_cast<unsigned>(offset - priorities) + i;
            if (interrupt < first || interrupt >= last) continue;
            priority_[interrupt] = static_cast<std::uint8_t>(value >> (8 * i));
        }
        return;
    }
    if (bytes != 4 || offset % 4 != 0) return;
    if (offset >= configuration && offset < configuration_end) {
        const auto interrupt = static_cast<unsigned>(offset - configuration) * 4;
        if (interrupt < 16 || interrupt < first || interrupt >= last) return;
        std::uint32_t& edges = edge_[interrupt / 32];
        edges &= ~(0xffffu << interrupt % 32);
        edges |= gathered(static_cast<std::uint32_t>(value)) << interrupt % 32;
        return;
    }
    const auto word = static_cast<unsigned>(offset % 0x80) / 4;
    if (offset >= priorities || word * 32 < first || word * 32 >= last) return;
    write_word(static_cast<unsigned>(offset / 0x80), word, static_cast<std::uint32_t>(value));
}

std::uint64_t VirtualGic::read_distributor(std::uint64_t offset, unsigned bytes) const {
    switch (offset) {
        case dist_control:
            return control_ | control_fixed;
        case dist_type:
            // ITLinesNumber, and 16 bits of interrupt numbers.
            return (limit_ / 32 - 1) | 15u << 19;
        case dist_implementer:
            return implementer_arm;
        case identification:
            return architecture_3;
        default:
            return read_bank(offset, bytes, false);
    }
}

void VirtualGic::write_distributor(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
    if (offset == dist_control) {
        control_ = static_cast<std::uint32_t>(value) & control_enable;
    } else {
        write_bank(offset, bytes, value, false);
    }
}

std::uint64_t VirtualGic::read_redistributor(std::uint64_t offset, unsigned bytes) const {
    switch (offset) {
        case redist_implementer:
            return implementer_arm;
        case redist_type:
            return last_redistributor;
        case redist_type + 4:
        case redist_wake:
            return 0;
        case identification:
            return architecture_3;
        default:
            return offset < second_frame ? 0 : read_bank(offset - second_frame, bytes, true);
    }
}

void VirtualGic::write_redistributor(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
    if (offset >= second_frame) write_bank(offset - second_frame, bytes, value, true);
}

void VirtualGic::set_level(unsigned interrupt, bool high) {
    set(level_, interrupt, high);
}

void VirtualGic::send(unsigned interrupt) {
    set(latched_, interrupt, true);
}

void VirtualGic::raise_physical(unsigned interrupt) {
    set(physical_, interrupt, true);
    set(latched_, interrupt, true);
}

// What the guest shall be told of: switched on, pending, in group 1, and not being handled.
std::uint32_t VirtualGic::waiting(unsigned word) const {
    if ((control_ & control_enable) == 0) return 0;
    const std::uint32_t pending = latched_[word] | level_[word];
    return pending & enabled_[word] & grouped_[word] & ~active_[word];
}

bool VirtualGic::has_deliverable() const {
    for (unsigned word = 0; word < words; ++word) {
        if (waiting(word) != 0) return true;
    }
    return false;
}

// What is being handled comes first: it must have a list register. Then by priority.
bool VirtualGic::best(const Bits& taken, unsigned& interrupt) const {
    unsigned best_rank = ~0u;
    for (unsigned word = 0; word < words; ++word) {
        std::uint32_t left = (waiting(word) | active_[word]) & ~taken[word];
        for (; left != 0; left &= left - 1) {
            const unsigned candidate = word * 32 + static_cast<unsigned>(std::countr_zero(left));
            const unsigned rank = is_set(active_, candidate) ? 0 : 1u + priority_[candidate];
            if (rank >= best_rank) continue;
            best_rank = rank;
            interrupt = candidate;
        }
    }
    return best_rank != ~0u;
}

std::uint64_t VirtualGic::list_register(unsigned interrupt) const {
    std::uint64_t lr = interrupt | lr_group_1 | std::uint64_t{priority_[interrupt]} << 48;
    const bool active = is_set(active_, interrupt);
    const bool pending = is_set(latched_, interrupt) || is_set(level_, interrupt);
    lr |= active ? lr_active : lr_pending;
    if (is_set(physical_, interrupt)) return lr | lr_physical | std::uint64_t{interrupt} << 32;
    if (active && pending) lr |= lr_pending;
    // A level that is still high when the guest is done must interrupt again.
    if (!is_set(edge_, interrupt)) lr |= lr_tell_end;
    return lr;
}

void VirtualGic::fill(ListRegisters& registers, unsigned available) {
    Bits taken = {};
    unsigned interrupt = 0;
    registers.used = 0;
    while (registers.used < available && best(taken, interrupt)) {
        set(taken, interrupt, true);
        registers.value[registers.used++] = list_register(interrupt);
    }
    registers.more_wait = best(taken, interrupt);
}

void VirtualGic::take(const ListRegisters& registers) {
    for (unsigned i = 0; i < registers.used; ++i) {
        const std::uint64_t lr = registers.value[i];
        const unsigned interrupt = interrupt_of(lr);
        if (interrupt >= max_interrupts) continue;
        const bool active = (lr & lr_active) != 0;
        const bool pending = (lr & lr_pending) != 0;
        set(active_, interrupt, active);
        if (!pending) set(latched_, interrupt, false);
        if (!pending && !active) set(physical_, interrupt, false);
    }
}

}  // namespace ringside::hyp
