// Components.
#include "papi/calls.h"

using namespace ringside::papi;

extern "C" {

int PAPI_num_components(void) {
    return guarded([] { return library().catalogue().components(); });
}

const PAPI_component_info_t* PAPI_get_component_info(int component) {
    const PAPI_component_info_t* info = nullptr;
    (void)guarded([&] {
        auto& catalogue = library().catalogue();
        if (!catalogue.valid(component)) return PAPI_ENOCMP;
        info = &catalogue.info(component);
        return PAPI_OK;
    });
    return info;
}

int PAPI_get_component_index(const char* name) {
    if (name == nullptr) return note(PAPI_EINVAL);
    return guarded([&] { return library().catalogue().index_of(name); });
}

int PAPI_disable_component(int component) {
    return guarded([&] {
        // Only before initialization, when nobody has counted with it yet.
        if (initialized()) return PAPI_ENOINIT;
        auto& catalogue = library().catalogue();
        if (!catalogue.valid(component)) return PAPI_ENOCMP;
        catalogue.disable(component, "disabled by the program");
        return PAPI_OK;
    });
}

int PAPI_disable_component_by_name(const char* name) {
    if (initialized()) return note(PAPI_ENOINIT);
    const int component = PAPI_get_component_index(name);
    return component < 0 ? component : PAPI_disable_component(component);
}

int PAPI_num_hwctrs(void) {
    return PAPI_num_cmp_hwctrs(0);
}

int PAPI_num_cmp_hwctrs(int component) {
    return PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, nullptr, component);
}

}  // extern "C"
