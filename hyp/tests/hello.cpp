// The smallest guest: says so, and switches itself off.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    print_line("hello");
}

}  // namespace ringside::guest_test
