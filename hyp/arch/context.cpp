#include "hyp/arch/context.h"

#include "hyp/arch/sysreg.h"

extern "C" void save_floating_point(ringside::hyp::FloatingPoint*);
extern "C" void load_floating_point(const ringside::hyp::FloatingPoint*);

namespace ringside::hyp {

namespace {

constexpr std::uint64_t sctlr_reset = 0x30d00800;  // MMU and caches off, RES1 bits

// HCR_EL2 (Arm ARM, D19.2.48).
constexpr std::uint64_t hcr = 1ull << 31                  // EL1 is AArch64
                              | 1u << 0                   // stage 2
                              | 7u << 3                   // FIQ, IRQ and SError come to EL2
                              | 1u << 13                  // WFI traps
                              | 1u << 19                  // SMC traps
                              | 1u << 20                  // implementation defined registers trap
                              | 1ull << 40 | 1ull << 41;  // pointer authentication does not
constexpr std::uint64_t hcr_identification = 1u << 18;    // TID3
constexpr std::uint64_t cptr = 0x33ff;  // RES1; SVE and SME trap, floating point does not

Table own_table;

}  // namespace

Context::Context() : sctlr_el1(sctlr_reset) {}

void Context::save() {
#define HYP_SAVE(name) name = HYP_READ(name);
    HYP_EL1_REGISTERS(HYP_SAVE)
#undef HYP_SAVE
    HYP_WRITE(cntv_ctl_el0, 0);  // it must not interrupt another guest
    interrupt_control = HYP_READ(S3_4_C12_C11_7);
    active_priorities = HYP_READ(S3_4_C12_C9_0);
    save_floating_point(&floating_point);
}

void Context::load() const {
#define HYP_LOAD(name) HYP_WRITE(name, name);
    HYP_EL1_REGISTERS(HYP_LOAD)
#undef HYP_LOAD
    HYP_WRITE(S3_4_C12_C11_7, interrupt_control);
    HYP_WRITE(S3_4_C12_C9_0, active_priorities);
    load_floating_point(&floating_point);
}

void set_up_el2() {
    HYP_WRITE(hcr_el2, hcr);
    HYP_WRITE(cptr_el2, cptr);
    HYP_WRITE(hstr_el2, 0);
    HYP_WRITE(vtcr_el2, Stage2::vtcr());
    HYP_WRITE(vpidr_el2, HYP_READ(midr_el1));
    HYP_WRITE(vmpidr_el2, HYP_READ(mpidr_el1));
    HYP_WRITE(cntvoff_el2, 0);
    HYP_WRITE(cnthctl_el2, 1);  // guests read the counter; the physical timer is ours
    instruction_barrier();
}

void use_stage2(std::uint64_t vttbr) {
    HYP_WRITE(vttbr_el2, vttbr);
    instruction_barrier();
}

void trap_identification(bool on) {
    HYP_WRITE(hcr_el2, on ? hcr | hcr_identification : hcr);
    instruction_barrier();
}

void enable_el2_translation() {
    constexpr std::uint64_t gib = 1u << 30;
    constexpr std::uint64_t block = 1 | 1u << 10;  // valid, accessed
    constexpr std::uint64_t normal = 1u << 2 | 3u << 8;
    own_table.entry[0] = block;  // devices, attribute 0
    for (std::uint64_t i = 1; i < 4; ++i) own_table.entry[i] = i * gib | block | normal;
    HYP_WRITE(mair_el2, 0xff04);  // 0: device nGnRE, 1: normal write-back
    // 39 bits, 4 KiB, write-back and shareable walks, 40-bit physical addresses.
    HYP_WRITE(tcr_el2, 1u << 31 | 1u << 23 | 2u << 16 | 3u << 12 | 1u << 10 | 1u << 8 | 25);
    HYP_WRITE(ttbr0_el2, reinterpret_cast<std::uint64_t>(&own_table));
    asm volatile("tlbi alle2\n tlbi vmalls12e1\n dsb sy\n isb" ::: "memory");
    HYP_WRITE(sctlr_el2, 0x30c51835 & ~(1u << 19));  // M, C, I, SA, RES1
    instruction_barrier();
}

}  // namespace ringside::hyp
