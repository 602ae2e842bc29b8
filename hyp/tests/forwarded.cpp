// Uses devices by accesses of every kind. Whether they are its own or forwarded, it must see the
// same; what an access costs, it says too.
#include "support/support.h"

namespace ringside::guest_test {

namespace {

constexpr std::uint64_t clock = 0x09010000;  // PL031 (Arm DDI 0224); its last bytes identify it
constexpr std::uint64_t part_number = clock + 0xfe0;
constexpr std::uint64_t last_identification = clock + 0xffc;  // 0xb1
constexpr std::uint64_t alarm = clock + 0x4;
constexpr std::uint64_t configuration = 0x09020000;  // QEMU's fw_cfg, big-endian
constexpr std::uint64_t selector = configuration + 8;
constexpr std::uint64_t signature = configuration + 16;
constexpr std::uint64_t nothing = 0x0b000000;

// One instruction on register `out` or `in`, at an address.
#define LOAD(instruction, width, address)                                                        \
    ([] {                                                                                        \
        std::uint64_t value_ = ~std::uint64_t{0};                                                \
        asm volatile(instruction " %" width "0, [%1]" : "+r"(value_) : "r"(address) : "memory"); \
        return value_;                                                                           \
    }())
#define STORE(instruction, width, address, value)                                            \
    asm volatile(instruction " %" width "0, [%1]" ::"rZ"(std::uint64_t{value}), "r"(address) \
                 : "memory")

void load_by_every_width() {
    print_line("saw word ", Hex{LOAD("ldr", "w", part_number)});
    print_line("saw half ", Hex{LOAD("ldrh", "w", part_number)});
    print_line("saw byte ", Hex{LOAD("ldrb", "w", last_identification)});
    print_line("saw signed byte in w ", Hex{LOAD("ldrsb", "w", last_identification)});
    print_line("saw signed byte in x ", Hex{LOAD("ldrsb", "x", last_identification)});
    print_line("saw signed half ", Hex{LOAD("ldrsh", "x", last_identification)});
    print_line("saw signed word ", Hex{LOAD("ldrsw", "x", last_identification)});
    print_line("saw double ", Hex{LOAD("ldr", "x", signature)});
    asm volatile("ldr wzr, [%0]" ::"r"(part_number) : "memory");
}

void store_by_every_width() {
    STORE("str", "w", alarm, 0x12345678);
    print_line("saw stored ", Hex{LOAD("ldr", "w", alarm)});
    STORE("str", "w", alarm, 0);
    print_line("saw zero ", Hex{LOAD("ldr", "w", alarm)});
    STORE("strh", "w", selector, 0x0100);  // the interface's version
    print_line("saw item 1 ", Hex{LOAD("ldrb", "w", configuration)});
    STORE("strh", "w", selector, 0);  // its name
    print_line("saw item 0 ", Hex{LOAD("ldrb", "w", configuration)});
    for (const char c : {'s', 'a', 'w', ' ', 'b', 'y', 't', 'e', 's', '\n'}) {
        STORE("strb", "w", hyp::platform::uart, static_cast<unsigned char>(c));
    }
}

void reach_for_nothing() {
    (void)LOAD("ldr", "w", nothing);
    print_line("saw abort ", exceptions.count, " ", Hex{exceptions.syndrome});
    STORE("str", "w", nothing, 1);
    print_line("saw abort ", exceptions.count, " ", Hex{exceptions.syndrome});
}

// In instructions, of ten loads.
std::uint64_t cost_of_loads() {
    stop_pmu();
    hyp::write_event_counter(0, 0);
    hyp::write_event_type(0, arm::event_instructions);
    HYP_WRITE(pmcntenset_el0, 1);
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    hyp::instruction_barrier();
    for (unsigned i = 0; i < 10; ++i) (void)LOAD("ldr", "w", part_number);
    HYP_WRITE(pmcr_el0, 0);
    return hyp::read_event_counter(0);
}

}  // namespace

extern "C" void guest_main() {
    const std::uint64_t cost = cost_of_loads();
    print_line("cost ", cost);
    load_by_every_width();
    store_by_every_width();
    reach_for_nothing();
    // Two registers at once: no syndrome can say which.
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    asm volatile("ldp %w0, %w1, [%2]" : "=&r"(first), "=&r"(second) : "r"(part_number));
    print_line("pair ", Hex{first});
}

}  // namespace ringside::guest_test
