// Making event sets, and putting events into them.
#include <algorithm>

#include "papi/calls.h"

using namespace ringside::papi;

namespace {

int add_or_remove(int handle, int* codes, int number, int (*one)(int, int)) {
    if (codes == nullptr || number <= 0) return note(PAPI_EINVAL);
    for (int i = 0; i < number; ++i) {
        const int result = one(handle, codes[i]);
        // After the first, the answer is how many went well.
        if (result != PAPI_OK) return i == 0 ? result : i;
    }
    return PAPI_OK;
}

int by_name(int handle, const char* name, int (*one)(int, int)) {
    int code = 0;
    const int result = PAPI_event_name_to_code(name, &code);
    return result == PAPI_OK ? one(handle, code) : result;
}

}  // namespace

extern "C" {

int PAPI_create_eventset(int* handle) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (handle == nullptr || *handle != PAPI_NULL) return PAPI_EINVAL;
        const Set* set = library().sets.create();
        if (set == nullptr) return PAPI_ENOMEM;
        *handle = set->handle();
        return PAPI_OK;
    });
}

int PAPI_cleanup_eventset(int handle) {
    return with_set(handle, [](Set& set) { return set.clean_up(); });
}

int PAPI_destroy_eventset(int* handle) {
    if (handle == nullptr) return note(PAPI_EINVAL);
    return with_set(*handle, [&](Set& set) {
        if (set.running()) return PAPI_EISRUN;
        if (!set.members().empty()) return PAPI_EINVAL;
        library().sets.destroy(set);
        *handle = PAPI_NULL;
        return PAPI_OK;
    });
}

int PAPI_assign_eventset_component(int handle, int component) {
    return with_set(handle, [&](Set& set) {
        if (!library().catalogue().valid(component)) return PAPI_ENOCMP;
        return set.assign(component);
    });
}

int PAPI_get_eventset_component(int handle) {
    return with_set(handle,
                    [](Set& set) { return set.component() < 0 ? PAPI_ENOCMP : set.component(); });
}

int PAPI_add_event(int handle, int code) {
    return with_set(handle, [&](Set& set) {
        const bool event = (code & (PAPI_PRESET_MASK | PAPI_NATIVE_MASK)) != 0;
        return event ? set.add(code) : PAPI_EINVAL;
    });
}

int PAPI_remove_event(int handle, int code) {
    return with_set(handle, [&](Set& set) {
        const bool event = (code & (PAPI_PRESET_MASK | PAPI_NATIVE_MASK)) != 0;
        return event ? set.remove(code) : PAPI_EINVAL;
    });
}

int PAPI_add_named_event(int handle, const char* name) {
    return by_name(handle, name, PAPI_add_event);
}

int PAPI_remove_named_event(int handle, const char* name) {
    return by_name(handle, name, PAPI_remove_event);
}

int PAPI_add_events(int handle, int* codes, int number) {
    return add_or_remove(handle, codes, number, PAPI_add_event);
}

int PAPI_remove_events(int handle, int* codes, int number) {
    return add_or_remove(handle, codes, number, PAPI_remove_event);
}

int PAPI_list_events(int handle, int* codes, int* number) {
    if (number == nullptr || *number < 0 || (codes == nullptr && *number > 0)) {
        return note(PAPI_EINVAL);
    }
    return with_set(handle, [&](Set& set) {
        const auto& members = set.members();
        const int count = static_cast<int>(members.size());
        if (codes == nullptr || *number == 0) {
            *number = count;
            return PAPI_OK;
        }
        *number = std::min(*number, count);
        for (int i = 0; i < *number; ++i) codes[i] = members[static_cast<std::size_t>(i)].code;
        return PAPI_OK;
    });
}

int PAPI_num_events(int handle) {
    return with_set(handle, [](Set& set) { return static_cast<int>(set.members().size()); });
}

int PAPI_state(int handle, int* status) {
    if (status == nullptr) return note(PAPI_EINVAL);
    return with_set(handle, [&](Set& set) {
        *status = set.state();
        return PAPI_OK;
    });
}

}  // extern "C"
