// Threads, their data, and the program's locks.
#include <algorithm>

#include "papi/calls.h"

using namespace ringside::papi;

namespace {

bool valid_tag(int tag) {
    return tag >= 0 && tag < PAPI_NUM_TLS;
}

// As many as the arrays hold; without arrays, how many there are.
int gather(int tag, PAPI_all_thr_spec_t& where) {
    const auto all = library().threads.gather(tag);
    std::size_t count = all.size();
    if (where.id != nullptr || where.data != nullptr) {
        count = std::min(count, static_cast<std::size_t>(std::max(where.num, 0)));
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (where.id != nullptr) where.id[i] = all[i].first;
        if (where.data != nullptr) where.data[i] = all[i].second;
    }
    where.num = static_cast<int>(count);
    return PAPI_OK;
}

}  // namespace

extern "C" {

int PAPI_thread_init(unsigned long (*id_function)(void)) {
    return guarded([&] {
        auto& lib = library();
        if (!initialized()) return PAPI_ENOINIT;
        if ((lib.level.load() & PAPI_THREAD_LEVEL_INITED) != 0) return PAPI_OK;
        const int result = lib.threads.set_id_function(id_function);
        if (result == PAPI_OK) lib.level.fetch_or(PAPI_THREAD_LEVEL_INITED);
        return result;
    });
}

unsigned long PAPI_thread_id(void) {
    const auto id_function = library().threads.id_function();
    return id_function != nullptr ? id_function() : static_cast<unsigned long>(note(PAPI_EMISC));
}

int PAPI_register_thread(void) {
    return guarded([] {
        if (!initialized()) return PAPI_ENOINIT;
        (void)library().threads.current();
        return PAPI_OK;
    });
}

int PAPI_unregister_thread(void) {
    return guarded([] { return library().threads.forget_current() ? PAPI_OK : PAPI_EMISC; });
}

int PAPI_list_threads(unsigned long* ids, int* number) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (number == nullptr || (ids != nullptr && *number <= 0)) return PAPI_EINVAL;
        PAPI_all_thr_spec_t where{*number, ids, nullptr};
        const int result = gather(0, where);
        *number = where.num;
        return result;
    });
}

int PAPI_get_thr_specific(int tag, void** pointer) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        const bool all = (tag & PAPI_TLS_ALL_THREADS) != 0;
        if (all) tag &= ~PAPI_TLS_ALL_THREADS;
        if (!valid_tag(tag) || pointer == nullptr) return PAPI_EINVAL;
        if (all) return gather(tag, *reinterpret_cast<PAPI_all_thr_spec_t*>(pointer));
        *pointer = library().threads.current()->storage[static_cast<std::size_t>(tag)].load();
        return PAPI_OK;
    });
}

int PAPI_set_thr_specific(int tag, void* pointer) {
    return guarded([&] {
        if (!initialized()) return PAPI_ENOINIT;
        if (!valid_tag(tag)) return PAPI_EINVAL;
        library().threads.current()->storage[static_cast<std::size_t>(tag)].store(pointer);
        return PAPI_OK;
    });
}

int PAPI_lock(int which) {
    if (which < 0 || which >= PAPI_NUM_LOCK) return note(PAPI_EINVAL);
    auto& locked = library().locked[static_cast<std::size_t>(which)];
    while (locked.exchange(true, std::memory_order_acquire)) {
        locked.wait(true, std::memory_order_relaxed);
    }
    return PAPI_OK;
}

int PAPI_unlock(int which) {
    if (which < 0 || which >= PAPI_NUM_LOCK) return note(PAPI_EINVAL);
    auto& locked = library().locked[static_cast<std::size_t>(which)];
    locked.store(false, std::memory_order_release);
    locked.notify_one();
    return PAPI_OK;
}

}  // extern "C"
