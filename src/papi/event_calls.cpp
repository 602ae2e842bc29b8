// Events: names, codes, what can be counted.
#include <algorithm>
#include <cstring>

#include "papi/calls.h"
#include "papi/event_info.h"
#include "papi/presets.h"

namespace ringside::papi {

namespace {

// A code that stands for nothing, for an event of a missing kind.
int query(int code) {
    if (IS_PRESET(code)) {
        if (find_preset(code) == nullptr) return PAPI_ENOTPRESET;
        const int component = library().formulas.of(code).component;
        return component < 0 ? component : PAPI_OK;
    }
    if (IS_NATIVE(code)) return library().catalogue().verdict(code);
    return PAPI_ENOEVNT;
}

bool wanted_preset(const Preset& preset, int code, int modifier) {
    switch (modifier) {
        case PAPI_ENUM_EVENTS:
            return true;
        case PAPI_PRESET_ENUM_AVAIL:
            return query(code) == PAPI_OK;
#if RINGSIDE_PAPI_ABI >= 703
        case PAPI_PRESET_ENUM_CPU:
            return true;
        case PAPI_PRESET_ENUM_CPU_AVAIL:
            return query(code) == PAPI_OK;
#endif
        default:
            return (preset.about >> modifier & 1) != 0;
    }
}

bool preset_modifier(int modifier) {
#if RINGSIDE_PAPI_ABI >= 703
    return modifier == PAPI_ENUM_EVENTS ||
           (modifier >= PAPI_PRESET_ENUM_AVAIL && modifier <= PAPI_PRESET_ENUM_CPU_AVAIL);
#else
    return modifier == PAPI_ENUM_EVENTS ||
           (modifier >= PAPI_PRESET_ENUM_AVAIL && modifier <= PAPI_PRESET_ENUM_FP);
#endif
}

int next_preset(int& code, int modifier) {
    if (modifier == PAPI_ENUM_FIRST) {
        code = PAPI_PRESET_MASK;
        return PAPI_OK;
    }
    if (!preset_modifier(modifier)) return PAPI_EINVAL;
    for (int next = code + 1; find_preset(next) != nullptr; ++next) {
        if (wanted_preset(*find_preset(next), next, modifier)) {
            code = next;
            return PAPI_OK;
        }
    }
    return PAPI_EINVAL;
}

int next_native(int& code, int modifier, int component) {
    auto& catalogue = library().catalogue();
    if (catalogue.disabled(component) != PAPI_OK) return PAPI_ENOCMP;
    const auto& codes = catalogue.listed(component);
    if (modifier == PAPI_ENUM_FIRST) {
        if (codes.empty()) return PAPI_ENOEVNT;
        code = codes.front();
        return PAPI_OK;
    }
    if (modifier != PAPI_ENUM_EVENTS) return PAPI_EINVAL;  // no event has masks to step through
    const auto here = std::find(codes.begin(), codes.end(), code);
    if (here == codes.end() || here + 1 == codes.end()) return PAPI_EINVAL;
    code = *(here + 1);
    return PAPI_OK;
}

// The component of an event; a bare PAPI_NATIVE_MASK begins at the first.
int component_of(int code) {
    if (IS_PRESET(code)) return find_preset(code) == nullptr ? PAPI_ENOEVNT : 0;
    if (!IS_NATIVE(code)) return PAPI_ENOEVNT;
    if (const Native* native = library().catalogue().native(code)) return native->component;
    return code == PAPI_NATIVE_MASK ? 0 : PAPI_ENOEVNT;
}

int name_to_code(std::string_view name) {
    if (name.starts_with("PAPI_")) {
        const auto code = preset_code(name);
        return code ? *code : PAPI_ENOEVNT;
    }
    return library().catalogue().find(name);
}

void copy_name(char* out, std::string_view name) {
    const std::size_t length = std::min<std::size_t>(name.size(), PAPI_MAX_STR_LEN - 1);
    std::memcpy(out, name.data(), length);
    out[length] = '\0';
}

}  // namespace

}  // namespace ringside::papi

using namespace ringside::papi;

extern "C" {

int PAPI_query_event(int code) {
    return guarded([&] { return initialized() ? query(code) : PAPI_ENOINIT; });
}

int PAPI_query_named_event(const char* name) {
    int code = 0;
    const int result = PAPI_event_name_to_code(name, &code);
    return result == PAPI_OK ? PAPI_query_event(code) : result;
}

int PAPI_enum_event(int* code, int modifier) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (code == nullptr) return PAPI_EINVAL;
        if (IS_PRESET(*code)) return next_preset(*code, modifier);
        const int component = component_of(*code);
        return component < 0 ? PAPI_ENOEVNT : next_native(*code, modifier, component);
    });
}

int PAPI_enum_cmp_event(int* code, int modifier, int component) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (code == nullptr) return PAPI_EINVAL;
        if (!library().catalogue().valid(component)) return PAPI_ENOCMP;
        if (IS_PRESET(*code)) {
            return component == 0 ? next_preset(*code, modifier) : PAPI_EINVAL;
        }
        return IS_NATIVE(*code) ? next_native(*code, modifier, component) : PAPI_EINVAL;
    });
}

int PAPI_event_code_to_name(int code, char* out) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (out == nullptr) return PAPI_EINVAL;
        if (IS_PRESET(code)) {
            const Preset* preset = find_preset(code);
            if (preset == nullptr) return PAPI_ENOTPRESET;
            copy_name(out, preset->name);
            return PAPI_OK;
        }
        const Native* native = library().catalogue().native(code);
        if (native == nullptr) return PAPI_ENOEVNT;
        copy_name(out, native->name);
        return PAPI_OK;
    });
}

int PAPI_event_name_to_code(const char* name, int* code) {
    return guarded([&] {
        if (name == nullptr || code == nullptr) return PAPI_EINVAL;
        if (!initialized()) return PAPI_ENOINIT;
        // The code of a preset is negative as an int, as errors are.
        const int found = name_to_code(name);
        if (found < 0 && !IS_PRESET(found)) return found;
        *code = found;
        return PAPI_OK;
    });
}

int PAPI_get_event_info(int code, PAPI_event_info_t* info) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        return info == nullptr ? PAPI_EINVAL : describe_event(code, *info);
    });
}

int PAPI_get_event_component(int code) {
    return guarded([&] { return initialized() ? component_of(code) : PAPI_ENOINIT; });
}

}  // extern "C"
