// The rate calls and the high-level interface count in the same thread by turns.
#pragma once

namespace ringside::papi {

// False if no rate of the calling thread is being counted.
bool stop_rates();

}  // namespace ringside::papi
