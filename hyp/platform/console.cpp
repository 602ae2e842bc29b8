#include "hyp/platform/console.h"

#include "hyp/platform/virt.h"

namespace ringside::hyp {

namespace {

// PL011 (Arm DDI 0183): data at 0, flags at 0x18, of which bit 5 is "transmit FIFO full".
void put(char c) {
    auto* uart = reinterpret_cast<volatile std::uint32_t*>(platform::uart);
    while ((uart[6] & 1u << 5) != 0) {
    }
    uart[0] = static_cast<unsigned char>(c);
}

void print_number(std::uint64_t number, unsigned base) {
    char digits[24];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (count > 0) put(digits[--count]);
}

}  // namespace

void print_one(std::string_view text) {
    for (const char c : text) {
        if (c == '\n') put('\r');
        put(c);
    }
}

void print_one(std::uint64_t number) {
    print_number(number, 10);
}

void print_one(Hex number) {
    print_one("0x");
    print_number(number.value, 16);
}

}  // namespace ringside::hyp
