// Jumps to an address where nothing is.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    print_line("jumping");
    reinterpret_cast<void (*)()>(0x50000000)();
}

}  // namespace ringside::guest_test
