#include "papi/formulas.h"

#include "papi/library.h"
#include "papi/perf_names.h"
#include "papi/presets.h"
#include "session/definitions.h"

namespace ringside::papi {

namespace {

Formula impossible(int error) {
    Formula formula;
    formula.component = error;
    return formula;
}

// One row of the tables, if all its events can be counted.
Formula try_definition(const events::Definition& definition) {
    const auto& names = definition.expression.names();
    if (names.empty() || names.size() > PAPI_MAX_INFO_TERMS) return impossible(PAPI_ENOEVNT);
    auto& catalogue = library().catalogue();
    Formula formula;
    for (const auto& name : names) {
        const int code = catalogue.find(to_papi_name(name));
        if (code < 0) return impossible(code);
        if (const int verdict = catalogue.verdict(code); verdict != PAPI_OK) {
            return impossible(verdict);
        }
        formula.terms.push_back(code);
    }
    if (!definition.expression.is_name()) formula.expression = definition.expression;
    formula.remark = definition.description;
    return formula;
}

Formula find_formula(const Preset& preset) {
    static const session::Definitions& definitions = *new session::Definitions(base::SysRoot());
    Formula formula = impossible(PAPI_ENOEVNT);
    for (const auto& definition : definitions.of(preset.name)) {
        formula = try_definition(definition);
        if (formula.component >= 0) break;
    }
    return formula;
}

}  // namespace

Formula Formulas::of(int code) {
    if (IS_NATIVE(code)) {
        const Native* native = library().catalogue().native(code);
        if (native == nullptr) return impossible(PAPI_ENOEVNT);
        return {native->component, {code}, {}, {}};
    }
    const Preset* preset = find_preset(code);
    if (preset == nullptr) return impossible(IS_PRESET(code) ? PAPI_EINVAL : PAPI_ENOEVNT);
    const std::lock_guard lock(mutex_);
    const auto known = presets_.find(code);
    if (known != presets_.end()) return known->second;
    return presets_.emplace(code, find_formula(*preset)).first->second;
}

void Formulas::clear() {
    const std::lock_guard lock(mutex_);
    presets_.clear();
}

}  // namespace ringside::papi
