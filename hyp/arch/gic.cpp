#include "hyp/arch/gic.h"

#include "hyp/arch/sysreg.h"
#include "hyp/platform/virt.h"

namespace ringside::hyp::gic {

namespace {

volatile std::uint32_t& distributor(std::uint64_t offset) {
    return *reinterpret_cast<volatile std::uint32_t*>(platform::distributor + offset);
}
volatile std::uint32_t& redistributor(std::uint64_t offset) {
    return *reinterpret_cast<volatile std::uint32_t*>(platform::redistributor + offset);
}
// The second frame has the private interrupts.
constexpr std::uint64_t private_frame = 0x10000;

constexpr std::uint32_t own_interrupts =
    1u << platform::pmu_interrupt | 1u << platform::maintenance_interrupt |
    1u << platform::hypervisor_timer_interrupt | 1u << platform::virtual_timer_interrupt;
constexpr std::uint64_t underflow_interrupt = 1u << 1;  // ICH_HCR_EL2.UIE

void wake_redistributor() {
    constexpr std::uint32_t processor_sleep = 1u << 1;
    constexpr std::uint32_t children_asleep = 1u << 2;
    redistributor(0x14) = redistributor(0x14) & ~processor_sleep;
    while ((redistributor(0x14) & children_asleep) != 0) {
    }
}

void set_up_distributor() {
    distributor(0x0) = 1u << 4 | 1u << 1;  // affinity routing, group 1
    for (unsigned word = 1; word < platform::interrupt_count / 32; ++word) {
        distributor(0x180 + word * 4) = ~0u;  // disabled
        distributor(0x80 + word * 4) = ~0u;   // group 1
    }
    for (unsigned i = 32; i < platform::interrupt_count; i += 4) {
        distributor(0x400 + i) = 0xa0a0a0a0;
    }
}

void set_up_private() {
    redistributor(private_frame + 0x180) = ~0u;
    redistributor(private_frame + 0x80) = ~0u;
    // Our own timer first: no storm of others may hold it up.
    constexpr unsigned tick = platform::hypervisor_timer_interrupt;
    for (unsigned i = 0; i < 32; i += 4) {
        const std::uint32_t before_others = i == tick / 4 * 4 ? 0x20u << tick % 4 * 8 : 0;
        redistributor(private_frame + 0x400 + i) = 0xa0a0a0a0 - before_others;
    }
    redistributor(private_frame + 0x100) = own_interrupts;
}

// ICH_LR<n>_EL2; the number is part of the instruction.
#define HYP_EACH_LR(each)                                                       \
    each(0, S3_4_C12_C12_0) each(1, S3_4_C12_C12_1) each(2, S3_4_C12_C12_2)     \
        each(3, S3_4_C12_C12_3) each(4, S3_4_C12_C12_4) each(5, S3_4_C12_C12_5) \
            each(6, S3_4_C12_C12_6) each(7, S3_4_C12_C12_7)
constexpr unsigned usable_list_registers = 8;

void write_list_register(unsigned index, std::uint64_t value) {
    switch (index) {
#define HYP_CASE(number, name)  \
    case number:                \
        HYP_WRITE(name, value); \
        break;
        HYP_EACH_LR(HYP_CASE)
#undef HYP_CASE
        default:
            break;
    }
}

std::uint64_t read_list_register(unsigned index) {
    switch (index) {
#define HYP_CASE(number, name) \
    case number:               \
        return HYP_READ(name);
        HYP_EACH_LR(HYP_CASE)
#undef HYP_CASE
        default:
            return 0;
    }
}

}  // namespace

void set_up() {
    HYP_WRITE(S3_4_C12_C9_5, 0xf);  // ICC_SRE_EL2: system registers, for EL1 too
    instruction_barrier();
    wake_redistributor();
    set_up_distributor();
    set_up_private();
    HYP_WRITE(S3_0_C4_C6_0, 0xff);  // ICC_PMR_EL1: all priorities
    HYP_WRITE(S3_0_C12_C12_4, 2);   // ICC_CTLR_EL1: dropping priority does not deactivate
    HYP_WRITE(S3_0_C12_C12_7, 1);   // ICC_IGRPEN1_EL1
    HYP_WRITE(S3_4_C12_C11_0, 1);   // ICH_HCR_EL2: the virtual interface is on
    instruction_barrier();
}

unsigned list_register_count() {
    const auto count = static_cast<unsigned>(HYP_READ(S3_4_C12_C11_1) & 0x1f) + 1;
    return count < usable_list_registers ? count : usable_list_registers;
}

unsigned acknowledge() {
    const auto interrupt = static_cast<unsigned>(HYP_READ(S3_0_C12_C12_0) & 0xffffff);
    data_barrier();
    return interrupt;
}

void drop_priority(unsigned interrupt) {
    HYP_WRITE(S3_0_C12_C12_1, interrupt);
    instruction_barrier();
}

void deactivate(unsigned interrupt) {
    HYP_WRITE(S3_0_C12_C11_1, interrupt);
    instruction_barrier();
}

void set_active(unsigned interrupt, bool active) {
    redistributor(private_frame + (active ? 0x300 : 0x380)) = 1u << interrupt;
}

void enable_devices(unsigned word, std::uint32_t interrupts) {
    distributor(0x180 + word * 4) = ~interrupts;
    distributor(0x100 + word * 4) = interrupts;
}

void set_edge_triggered(unsigned interrupt, bool edge) {
    volatile std::uint32_t& configuration = distributor(0xc00 + interrupt / 16 * 4);
    const std::uint32_t bit = 2u << (interrupt % 16 * 2);
    configuration = edge ? configuration | bit : configuration & ~bit;
}

void load_list_registers(const ListRegisters& registers) {
    for (unsigned i = 0; i < registers.used; ++i) write_list_register(i, registers.value[i]);
    for (unsigned i = registers.used; i < list_register_count(); ++i) write_list_register(i, 0);
    HYP_WRITE(S3_4_C12_C11_0, registers.more_wait ? 1 | underflow_interrupt : 1);
}

void save_list_registers(ListRegisters& registers) {
    for (unsigned i = 0; i < registers.used; ++i) registers.value[i] = read_list_register(i);
}

}  // namespace ringside::hyp::gic
