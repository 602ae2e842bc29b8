#include "papi/event_info.h"

#include <algorithm>
#include <cstring>

#include "papi/formulas.h"
#include "papi/library.h"
#include "papi/perf_names.h"
#include "papi/presets.h"
#include "papi/text.h"

namespace ringside::papi {

namespace {

void describe_preset(const Preset& preset, int code, PAPI_event_info_t& info) {
    copy_text(info.symbol, preset.name);
    copy_text(info.short_descr, preset.label);
    copy_text(info.long_descr, preset.description);
    info.event_type = preset.about;
    const auto found = formula_of(code);
    if (found.component < 0) {
        copy_text(info.derived, "NOT_DERIVED");
        return;  // and count 0: it cannot be counted here
    }
    const auto& terms = found.formula.terms;
    info.count = static_cast<unsigned>(std::min<std::size_t>(terms.size(), PAPI_MAX_INFO_TERMS));
    copy_text(info.derived, kind_of(found.formula.postfix, terms.size()));
    copy_text(info.postfix, found.formula.postfix);
    copy_text(info.note, found.remark);
    for (unsigned i = 0; i < info.count; ++i) {
        info.code[i] = static_cast<unsigned>(terms[i]);
        const Native* native = library().catalogue().native(terms[i]);
        if (native != nullptr) copy_text(info.name[i], native->name);
    }
}

void describe_native(const Native& native, PAPI_event_info_t& info) {
    const auto& event = native.event;
    info.component_index = native.component;
    copy_text(info.symbol, native.name);
    copy_text(info.short_descr, event.description);
    // Programs tell the kernel's own events from the CPU's by these constants.
    const auto constant = native.component == 0 ? kernel_constant(event.name) : std::string_view();
    std::string description(constant);
    if (!constant.empty() && !event.description.empty()) description += ": ";
    copy_text(info.long_descr, description + event.description);
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
