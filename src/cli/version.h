#pragma once

#include "measure/version.h"

namespace ringside::cli {

using measure::version;

}  // namespace ringside::cli
