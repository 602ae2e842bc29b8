// A place in a machine that is booted for it: the embedded guest, or a test VM.
#pragma once

#include "places/place.h"

namespace ringside::places {

std::unique_ptr<Place> make_machine(const PlaceAddress& address, const PlaceOptions& options,
                                    const StopSignals& stop);

}  // namespace ringside::places
