// Rates of the calling thread. The first call begins to count and gives zeros; later ones give what
// was counted since the call before. Another kind of rate, or another event, begins anew.
#include <array>
#include <vector>

#include "papi/calls.h"
#include "papi/rates.h"
#include "papi/thread_id.h"

namespace ringside::papi {

namespace {

enum class Rate { none, flips, flops, ipc, epc };

struct Running {
    Rate rate = Rate::none;
    int handle = PAPI_NULL;
    unsigned epoch = 0;
    std::vector<int> events;
    long long real_usec = 0;
    long long virt_usec = 0;
};

thread_local Running running;

struct Times {
    float* real_s;
    float* virt_s;
};

void end_running() {
    if (running.rate == Rate::none && running.handle == PAPI_NULL) return;
    if (running.epoch == library().epoch.load()) {
        (void)PAPI_stop(running.handle, nullptr);
        (void)PAPI_cleanup_eventset(running.handle);
        (void)PAPI_destroy_eventset(&running.handle);
    }
    running = Running{};
}

int initialize() {
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != static_cast<int>(PAPI_VER_CURRENT)) return version;
    return PAPI_thread_init(thread_id);
}

int begin(Rate rate, std::vector<int> events) {
    int handle = PAPI_NULL;
    int result = PAPI_create_eventset(&handle);
    if (result != PAPI_OK) return result;
    result = PAPI_add_events(handle, events.data(), static_cast<int>(events.size()));
    if (result == PAPI_OK) result = PAPI_start(handle);
    running.handle = handle;
    running.epoch = library().epoch.load();
    if (result != PAPI_OK) {
        end_running();
        // Some events were added and some not: their number says nothing to the caller.
        return result > 0 ? PAPI_ECNFLCT : result;
    }
    running.rate = rate;
    running.events = std::move(events);
    running.real_usec = PAPI_get_real_usec();
    running.virt_usec = PAPI_get_virt_usec();
    return PAPI_OK;
}

// What was counted since the last call, into `values`.
int step(Rate rate, std::vector<int> events, std::span<long long> values, Times times) {
    (void)PAPI_hl_stop();
    if (const int result = initialize(); result != PAPI_OK) return result;
    if (running.rate != rate || running.events != events ||
        running.epoch != library().epoch.load()) {
        end_running();
    }
    *times.real_s = *times.virt_s = 0;
    if (running.rate == Rate::none) return begin(rate, std::move(events));
    if (const int result = PAPI_read(running.handle, values.data()); result != PAPI_OK) {
        return result;
    }
    (void)PAPI_reset(running.handle);
    const long long real_usec = PAPI_get_real_usec();
    const long long virt_usec = PAPI_get_virt_usec();
    *times.real_s = static_cast<float>(real_usec - running.real_usec) * 1e-6f;
    *times.virt_s = static_cast<float>(virt_usec - running.virt_usec) * 1e-6f;
    running.real_usec = real_usec;
    running.virt_usec = virt_usec;
    return PAPI_OK;
}

float ratio(long long part, double whole) {
    return whole > 0 ? static_cast<float>(static_cast<double>(part) / whole) : 0.0f;
}

// Millions of `event` a second of virtual time.
int rate_of_time(Rate rate, int event, Times times, long long* count, float* rate_out) {
    if (times.real_s == nullptr || times.virt_s == nullptr || count == nullptr ||
        rate_out == nullptr) {
        return PAPI_EINVAL;
    }
    std::array<long long, 1> values{};
    const int result = step(rate, {event}, values, times);
    if (result != PAPI_OK) return result;
    *count = values[0];
    *rate_out = ratio(values[0], static_cast<double>(*times.virt_s) * 1e6);
    return PAPI_OK;
}

}  // namespace

bool stop_rates() {
    if (running.rate == Rate::none) return false;
    end_running();
    return true;
}

}  // namespace ringside::papi

using namespace ringside::papi;

extern "C" {

int PAPI_flips_rate(int event, float* real_s, float* virt_s, long long* instructions,
                    float* millions) {
    return guarded([&] {
        if (event != PAPI_FP_INS && event != PAPI_VEC_SP && event != PAPI_VEC_DP) {
            return PAPI_ENOEVNT;
        }
        return rate_of_time(Rate::flips, event, {real_s, virt_s}, instructions, millions);
    });
}

int PAPI_flops_rate(int event, float* real_s, float* virt_s, long long* operations,
                    float* millions) {
    return guarded([&] {
        if (event != PAPI_FP_OPS && event != PAPI_SP_OPS && event != PAPI_DP_OPS) {
            return PAPI_ENOEVNT;
        }
        return rate_of_time(Rate::flops, event, {real_s, virt_s}, operations, millions);
    });
}

int PAPI_ipc(float* real_s, float* virt_s, long long* instructions, float* ipc) {
    return guarded([&] {
        if (real_s == nullptr || virt_s == nullptr || instructions == nullptr || ipc == nullptr) {
            return PAPI_EINVAL;
        }
        std::array<long long, 2> values{};
        const int result = step(Rate::ipc, {PAPI_TOT_INS, PAPI_TOT_CYC}, values, {real_s, virt_s});
        if (result != PAPI_OK) return result;
        *instructions = values[0];
        *ipc = ratio(values[0], static_cast<double>(values[1]));
        return PAPI_OK;
    });
}

int PAPI_epc(int event, float* real_s, float* virt_s, long long* reference, long long* core,
             long long* count, float* epc) {
    return guarded([&] {
        if (real_s == nullptr || virt_s == nullptr || reference == nullptr || core == nullptr ||
            count == nullptr || epc == nullptr) {
            return PAPI_EINVAL;
        }
        std::vector<int> events{event != 0 ? event : PAPI_TOT_INS, PAPI_TOT_CYC};
        std::array<long long, 3> values{};
        if (initialize() == PAPI_OK && PAPI_query_event(PAPI_REF_CYC) == PAPI_OK) {
            events.push_back(PAPI_REF_CYC);
        }
        const int result = step(Rate::epc, events, values, {real_s, virt_s});
        if (result != PAPI_OK) return result;
        *count = values[0];
        *core = values[1];
        *reference = values[2];
        *epc = ratio(values[0], static_cast<double>(values[1]));
        return PAPI_OK;
    });
}

int PAPI_rate_stop(void) {
    return guarded([] { return stop_rates() ? PAPI_OK : PAPI_ENOEVNT; });
}

}  // extern "C"
