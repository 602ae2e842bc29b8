#include "papi/formulas.h"

#include "papi/library.h"

namespace ringside::papi {

FormulaFound formula_of(int code) {
    if (IS_NATIVE(code)) {
        const Native* native = library().catalogue().native(code);
        if (native == nullptr) return {PAPI_ENOEVNT, {}, {}};
        return {native->component, {{code}, {}}, {}};
    }
    return {PAPI_ENOEVNT, {}, {}};
}

}  // namespace ringside::papi
