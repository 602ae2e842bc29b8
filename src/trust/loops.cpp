#include "trust/loops.h"

#include "trust/arch.h"

namespace ringside::trust {

void unpredictable_branches(std::uint64_t iterations) {
    std::uint64_t state = 88172645463325252u;  // xorshift: its bits have no short period
    std::uint64_t taken = 0;
    for (; iterations != 0; --iterations) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        taken = add_if_odd(taken, state);
    }
}

}  // namespace ringside::trust
