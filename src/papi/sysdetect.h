// PAPI's component for devices. It has no events; programs look for it before they ask for devices.
#pragma once

#include "session/component.h"

namespace ringside::papi {

session::ComponentPtr make_sysdetect();

}  // namespace ringside::papi
