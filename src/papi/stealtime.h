// PAPI's stealtime component: the steal component's times of the machine and its CPUs, in
// microseconds, with CPUs numbered from 1 as PAPI does.
#pragma once

#include "session/component.h"

namespace ringside::papi {

// `steal` must outlive it.
session::ComponentPtr make_stealtime(const session::Component& steal);

}  // namespace ringside::papi
