// A place on a machine that is reached by ssh.
#pragma once

#include "places/place.h"

namespace ringside::places {

std::unique_ptr<Place> make_ssh(const PlaceAddress& address, const PlaceOptions& options,
                                const StopSignals& stop);

}  // namespace ringside::places
