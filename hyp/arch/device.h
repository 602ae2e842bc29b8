// Device registers that EL2 reaches on a guest's behalf: the guest chose the address, so the device
// may refuse it, and EL2 must survive that.
#pragma once

#include <cstdint>

namespace ringside::hyp {

extern "C" {
// An access of 1, 2, 4 or 8 bytes; false if it was aborted.
[[nodiscard]] bool load_from_device(std::uint64_t address, unsigned bytes, std::uint64_t* value);
[[nodiscard]] bool store_to_device(std::uint64_t address, unsigned bytes, std::uint64_t value);
// Executes that many instructions, which do nothing.
void spend(std::uint64_t instructions);
}

}  // namespace ringside::hyp
