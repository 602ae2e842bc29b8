#include "events/native.h"

#include <mutex>
#include <optional>

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

#include "base/error.h"
#include "base/fork.h"

namespace ringside::events {

namespace {

// The part of libpfm4 that is used, loaded once. It has state of the process's own, so one call at
// a time.
class Pfm {
  public:
    static Pfm& instance() {
        const base::NoFork no_fork;
        static Pfm pfm;
        return pfm;
    }

    bool usable() const { return usable_; }
    base::Mutex& mutex() { return mutex_; }

    decltype(&::pfm_get_os_event_encoding) encode = nullptr;
    decltype(&::pfm_get_event_info) event_info = nullptr;
    decltype(&::pfm_get_event_attr_info) attribute_info = nullptr;
    decltype(&::pfm_get_event_next) next_event = nullptr;
    decltype(&::pfm_get_pmu_info) pmu_info = nullptr;
    decltype(&::pfm_strerror) describe = nullptr;

  private:
    Pfm() {
        void* library = ::dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        decltype(&::pfm_initialize) initialize = nullptr;
        usable_ = load(library, "pfm_initialize", initialize) &&
                  load(library, "pfm_get_os_event_encoding", encode) &&
                  load(library, "pfm_get_event_info", event_info) &&
                  load(library, "pfm_get_event_attr_info", attribute_info) &&
                  load(library, "pfm_get_event_next", next_event) &&
                  load(library, "pfm_get_pmu_info", pmu_info) &&
                  load(library, "pfm_strerror", describe) && initialize() == PFM_SUCCESS;
    }

    template <typename Function>
    static bool load(void* library, const char* name, Function& function) {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        return function != nullptr;
    }

    base::Mutex mutex_;
    bool usable_ = false;
};

model::EventKind kind_of(std::uint32_t type) {
    switch (type) {
        case PERF_TYPE_HARDWARE:
            return model::EventKind::hardware;
        case PERF_TYPE_SOFTWARE:
            return model::EventKind::software;
        case PERF_TYPE_TRACEPOINT:
            return model::EventKind::tracepoint;
        case PERF_TYPE_HW_CACHE:
            return model::EventKind::cache;
        default:
            return model::EventKind::raw;
    }
}

struct Encoding {
    int error = PFM_SUCCESS;
    perf_event_attr attributes{};
    int index = 0;
};

Encoding encode(Pfm& pfm, const std::string& name, int default_levels) {
    Encoding result;
    result.attributes.size = sizeof result.attributes;
    pfm_perf_encode_arg_t argument{};
    argument.size = sizeof argument;
    argument.attr = &result.attributes;
    result.error = pfm.encode(name.c_str(), default_levels, PFM_OS_PERF_EVENT, &argument);
    result.index = argument.idx;
    return result;
}

bool is_present(Pfm& pfm, pfm_pmu_t pmu) {
    pfm_pmu_info_t info{};
    info.size = sizeof info;
    return pfm.pmu_info(pmu, &info) == PFM_SUCCESS && info.is_present != 0;
}

bool of_this_processor(Pfm& pfm, int index) {
    pfm_event_info_t info{};
    info.size = sizeof info;
    return pfm.event_info(index, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
           is_present(pfm, info.pmu);
}

Error unknown(std::string_view name, const std::string& why) {
    return base::fail(ErrorCode::not_found, "unknown event: " + std::string(name) + why,
                      "`ringside list` shows the events of this machine");
}

model::Event to_event(std::string_view name, const perf_event_attr& user,
                      const perf_event_attr& kernel) {
    model::Event event;
    event.name = name;
    event.kind = kind_of(user.type);
    event.code = {user.type, user.config, user.config1, user.config2};
    event.precise = user.precise_ip;
    // The levels are the name's own if our default makes no difference.
    event.modes_named = user.exclude_kernel == 0 || kernel.exclude_user == 0;
    if (event.modes_named) {
        event.exclude.user = user.exclude_user != 0;
        event.exclude.kernel = user.exclude_kernel != 0;
        event.exclude.hypervisor = user.exclude_hv != 0;
    }
    return event;
}

using NativeEvents = std::vector<NativeEvent>;

void list_event(Pfm& pfm, const pfm_pmu_info_t& pmu, int index, NativeEvents& all) {
    pfm_event_info_t event{};
    event.size = sizeof event;
    if (pfm.event_info(index, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS) return;
    const std::string name = std::string(pmu.name) + "::" + event.name;
    bool has_unit_mask = false;
    for (int i = 0; i < event.nattrs; ++i) {
        pfm_event_attr_info_t attribute{};
        attribute.size = sizeof attribute;
        if (pfm.attribute_info(index, i, PFM_OS_PERF_EVENT, &attribute) != PFM_SUCCESS) continue;
        if (attribute.type != PFM_ATTR_UMASK) continue;
        has_unit_mask = true;
        all.push_back(
            {name + ":" + attribute.name, std::string(event.desc) + ": " + attribute.desc});
    }
    if (!has_unit_mask) all.push_back({name, event.desc});
}

}  // namespace

Result<model::Event> native_event(std::string_view name, bool of_any_processor) {
    Pfm& pfm = Pfm::instance();
    if (!pfm.usable()) return unknown(name, "; libpfm4, which knows more names, is not installed");
    const std::lock_guard lock(pfm.mutex());
    const std::string text(name);
    const Encoding user = encode(pfm, text, PFM_PLM3);
    if (user.error != PFM_SUCCESS) {
        return unknown(name, std::string("; libpfm4 says: ") + pfm.describe(user.error));
    }
    if (!of_any_processor && !of_this_processor(pfm, user.index)) {
        return unknown(name, "; it belongs to another processor");
    }
    const Encoding kernel = encode(pfm, text, PFM_PLM0);
    return to_event(name, user.attributes, kernel.attributes);
}

std::vector<NativeEvent> native_events() {
    NativeEvents all;
    Pfm& pfm = Pfm::instance();
    if (!pfm.usable()) return all;
    const std::lock_guard lock(pfm.mutex());
    for (int id = 0; id < PFM_PMU_MAX; ++id) {
        pfm_pmu_info_t pmu{};
        pmu.size = sizeof pmu;
        const auto number = static_cast<pfm_pmu_t>(id);
        if (pfm.pmu_info(number, &pmu) != PFM_SUCCESS || pmu.is_present == 0) continue;
        if (number == PFM_PMU_PERF_EVENT || number == PFM_PMU_PERF_EVENT_RAW) continue;
        for (int i = pmu.first_event; i != -1; i = pfm.next_event(i)) list_event(pfm, pmu, i, all);
    }
    return all;
}

}  // namespace ringside::events
