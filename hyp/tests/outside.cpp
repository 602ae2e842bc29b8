// Reaches for memory that is not its own.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    print_line("reaching out");
    const auto* foreign = reinterpret_cast<const volatile std::uint64_t*>(0x60000000);
    const std::uint64_t value = *foreign;
    print_line("read ", value);
}

}  // namespace ringside::guest_test
