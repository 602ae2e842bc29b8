// What has to be counted for an event code: a native event is itself, a preset is looked up.
#pragma once

#include <string>

#include "papi/formula.h"

namespace ringside::papi {

struct FormulaFound {
    int component = 0;  // of its terms, or an error code
    Formula formula;
    std::string remark;  // what this machine's definition of a preset leaves out or adds
};

// Fails for presets that cannot be counted here.
FormulaFound formula_of(int code);

}  // namespace ringside::papi
