#include "papi/high_level.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "base/text.h"
#include "papi/calls.h"
#include "papi/rates.h"
#include "papi/thread_id.h"

namespace ringside::papi {

namespace {

// Counted where nothing else is asked for; those that cannot be are left out. Task-clock can be on
// every machine.
constexpr std::string_view default_events =
    "perf::TASK-CLOCK,PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_FP_INS,PAPI_FP_OPS";

std::vector<RegionEvent> countable(std::string_view list) {
    std::vector<RegionEvent> events;
    for (const auto item : base::split(list, ',')) {
        RegionEvent event;
        event.name = base::trim(item);
        for (const std::string_view ending : {"=instant", "=delta"}) {
            if (!event.name.ends_with(ending)) continue;
            event.instant = ending == "=instant";
            event.name.resize(event.name.size() - ending.size());
        }
        if (PAPI_event_name_to_code(event.name.c_str(), &event.code) != PAPI_OK) continue;
        if (PAPI_query_event(event.code) != PAPI_OK) continue;
        event.component = PAPI_get_event_component(event.code);
        events.push_back(std::move(event));
    }
    // A set belongs to one component: events of the same one stand together.
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.component < b.component; });
    return events;
}

}  // namespace

// The counters of one thread, and the regions it is in.
struct HighLevel::Sets {
    std::vector<int> handles;
    unsigned epoch = 0;
    bool running = false;
    unsigned begun = 0;               // regions so far
    std::vector<std::size_t> inside;  // indices into the thread's regions, innermost last

    bool stale() const { return handles.empty() || epoch != library().epoch.load(); }
    void drop() {
        if (!stale()) {
            for (int handle : handles) {
                (void)PAPI_stop(handle, nullptr);
                (void)PAPI_cleanup_eventset(handle);
                (void)PAPI_destroy_eventset(&handle);
            }
        }
        handles.clear();
        running = false;
    }
    ~Sets() { drop(); }
};

HighLevel& high_level() {
    const base::NoFork no_fork;
    static auto& only = *new HighLevel;
    return only;
}

HighLevel::Sets& HighLevel::own_sets() {
    thread_local Sets sets;
    return sets;
}

int HighLevel::choose_events() {
    const char* asked = std::getenv("PAPI_EVENTS");
    if (asked != nullptr) report_.events = countable(asked);
    if (report_.events.empty()) report_.events = countable(default_events);
    return report_.events.empty() ? PAPI_ENOEVNT : PAPI_OK;
}

// Once for each process; a forked child reports its own regions.
int HighLevel::prepare() {
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != static_cast<int>(PAPI_VER_CURRENT)) return version;
    const int result = PAPI_thread_init(thread_id);
    if (result != PAPI_OK) return result;
    if (pid_ == ::getpid() && !report_.events.empty()) return PAPI_OK;
    if (pid_ == 0) std::atexit([] { high_level().write_if_any(); });
    pid_ = ::getpid();
    report_ = RegionReport{};
    return choose_events();
}

int HighLevel::start_sets(Sets& sets) {
    if (sets.stale()) {
        sets.drop();
        sets.epoch = library().epoch.load();
        int component = PAPI_NULL;
        for (const auto& event : report_.events) {
            if (event.component != component) {
                component = event.component;
                sets.handles.push_back(PAPI_NULL);
                int& handle = sets.handles.back();
                if (const int result = PAPI_create_eventset(&handle); result != PAPI_OK) {
                    return result;
                }
                (void)PAPI_assign_eventset_component(handle, component);
                const bool multiplex = std::getenv("PAPI_MULTIPLEX") != nullptr;
                if (multiplex && component == 0) (void)PAPI_set_multiplex(handle);
            }
            const int result = PAPI_add_event(sets.handles.back(), event.code);
            if (result != PAPI_OK) return result;
        }
    }
    for (const int handle : sets.handles) {
        if (const int result = PAPI_start(handle); result != PAPI_OK) return result;
    }
    sets.running = true;
    return PAPI_OK;
}

int HighLevel::measure(Sets& sets, std::vector<long long>& values) {
    values.assign(2 + report_.events.size(), 0);
    long long* next = values.data() + 2;
    for (const int handle : sets.handles) {
        if (const int result = PAPI_read(handle, next); result != PAPI_OK) return result;
        next += PAPI_num_events(handle);
    }
    values[0] = PAPI_get_real_cyc();
    values[1] = PAPI_get_real_nsec();
    return PAPI_OK;
}

std::vector<long long> HighLevel::since(const Region& region,
                                        const std::vector<long long>& now) const {
    std::vector<long long> values = now;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool instant = i >= 2 && report_.events[i - 2].instant;
        if (!instant) values[i] -= region.at_begin[i];
    }
    return values;
}

Region* HighLevel::innermost(Sets& sets, std::string_view name) {
    if (sets.inside.empty()) return nullptr;
    auto& region = report_.threads[thread_id()][sets.inside.back()];
    return region.name == name ? &region : nullptr;
}

int HighLevel::begin(std::string_view name) {
    const std::lock_guard lock(mutex_);
    (void)stop_rates();
    if (const int result = prepare(); result != PAPI_OK) return result;
    Sets& sets = own_sets();
    if (!sets.running || sets.stale()) {
        if (const int result = start_sets(sets); result != PAPI_OK) {
            sets.drop();
            return result;
        }
    }
    auto& regions = report_.threads[thread_id()];
    Region region;
    region.id = sets.begun++;
    region.parent = sets.inside.empty() ? -1 : static_cast<int>(regions[sets.inside.back()].id);
    region.name = name;
    if (const int result = measure(sets, region.at_begin); result != PAPI_OK) return result;
    sets.inside.push_back(regions.size());
    regions.push_back(std::move(region));
    return PAPI_OK;
}

int HighLevel::read(std::string_view name) {
    const std::lock_guard lock(mutex_);
    Sets& sets = own_sets();
    if (sets.begun == 0) return PAPI_EMISC;
    if (!sets.running || sets.stale()) return PAPI_ENOTRUN;
    Region* region = innermost(sets, name);
    if (region == nullptr) return PAPI_EINVAL;
    std::vector<long long> now;
    if (const int result = measure(sets, now); result != PAPI_OK) return result;
    region->reads.push_back(since(*region, now));
    return PAPI_OK;
}

int HighLevel::end(std::string_view name) {
    const std::lock_guard lock(mutex_);
    Sets& sets = own_sets();
    if (sets.begun == 0) return PAPI_EMISC;
    if (!sets.running || sets.stale()) return PAPI_ENOTRUN;
    Region* region = innermost(sets, name);
    if (region == nullptr) return PAPI_EINVAL;
    std::vector<long long> now;
    if (const int result = measure(sets, now); result != PAPI_OK) return result;
    region->values = since(*region, now);
    region->ended = true;
    sets.inside.pop_back();
    return PAPI_OK;
}

int HighLevel::stop() {
    Sets& sets = own_sets();
    if (!sets.running || sets.stale()) return PAPI_ENOEVNT;
    for (const int handle : sets.handles) {
        if (const int result = PAPI_stop(handle, nullptr); result != PAPI_OK) return result;
    }
    sets.running = false;
    return PAPI_OK;
}

void HighLevel::write_if_any() {
    const std::lock_guard lock(mutex_);
    if (pid_ == ::getpid() && !report_.threads.empty()) (void)write_report(report_);
}

}  // namespace ringside::papi
