#include "papi/event_info.h"

#include "base/text.h"
#include "papi/library.h"
#include "papi/perf_names.h"
#include "papi/presets.h"
#include "papi/text.h"

namespace ringside::papi {

namespace {

// N0|N1|sign|N2|sign|: a plain sum or difference.
bool is_chain(std::string_view postfix, std::size_t terms, char sign) {
    std::size_t signs = 0;
    for (const auto token : base::split(postfix, '|')) {
        if (token.empty() || token.starts_with('N')) continue;
        if (token.size() != 1 || token[0] != sign) return false;
        ++signs;
    }
    return signs + 1 == terms;
}

// PAPI's word for how a preset is made of its events.
std::string_view kind_of(std::string_view postfix, std::size_t terms) {
    if (is_chain(postfix, terms, '+')) return "DERIVED_ADD";
    if (is_chain(postfix, terms, '-')) return "DERIVED_SUB";
    return "DERIVED_POSTFIX";
}

void describe_preset(const Preset& preset, int code, PAPI_event_info_t& info) {
    copy_text(info.symbol, preset.name);
    copy_text(info.short_descr, preset.label);
    copy_text(info.long_descr, preset.description);
    info.event_type = preset.about;
    copy_text(info.derived, "NOT_DERIVED");
    const Formula formula = library().formulas.of(code);
    if (formula.component < 0) return;  // and count 0: it cannot be counted here
    const auto& terms = formula.terms;
    info.count = static_cast<unsigned>(terms.size());
    copy_text(info.note, formula.remark);
    for (unsigned i = 0; i < info.count; ++i) {
        info.code[i] = static_cast<unsigned>(terms[i]);
        copy_text(info.name[i], library().catalogue().native(terms[i])->name);
    }
    if (!formula.derived()) return;
    const std::string postfix = formula.expression->to_postfix();
    copy_text(info.derived, kind_of(postfix, terms.size()));
    copy_text(info.postfix, postfix);
}

void describe_native(const Native& native, PAPI_event_info_t& info) {
    const auto& event = native.event;
    info.component_index = native.component;
    copy_text(info.symbol, native.name);
    // Programs tell the kernel's own events from the CPU's by these constants.
    const auto constant = native.component == 0 ? kernel_constant(event.name) : std::string_view();
    const std::string_view description = constant.empty() ? event.description : constant;
    copy_text(info.short_descr, description);
    copy_text(info.long_descr, description);
    copy_text(info.units, event.unit);
    info.value_type = event.level ? PAPI_VALUETYPE_ABSOLUTE : PAPI_VALUETYPE_RUNNING_SUM;
    info.timescope = event.level ? PAPI_TIMESCOPE_POINT : PAPI_TIMESCOPE_SINCE_START;
}

}  // namespace

int describe_event(int code, PAPI_event_info_t& info) {
    if (IS_PRESET(code)) {
        const Preset* preset = find_preset(code);
        if (preset == nullptr) return PAPI_ENOTPRESET;
        info = PAPI_event_info_t{};
        info.event_code = static_cast<unsigned>(code);
        describe_preset(*preset, code, info);
        return PAPI_OK;
    }
    if (!IS_NATIVE(code)) return PAPI_ENOTPRESET;
    const Native* native = library().catalogue().native(code);
    if (native == nullptr) return PAPI_ENOEVNT;
    info = PAPI_event_info_t{};
    info.event_code = static_cast<unsigned>(code);
    describe_native(*native, info);
    return PAPI_OK;
}

}  // namespace ringside::papi
