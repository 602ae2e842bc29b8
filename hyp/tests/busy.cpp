// Never yields, never ends.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    for (;;) spin(1'000'000);
}

}  // namespace ringside::guest_test
