// The life of the library.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "base/text.h"
#include "papi/calls.h"

namespace ringside::papi {

namespace {

void disable_as_asked() {
    const char* list = std::getenv("PAPI_DISABLE_COMPONENTS");
    if (list == nullptr) return;
    for (const auto part : base::split(list, ',')) {
        for (const auto name : base::split(part, ':')) {
            const int component = library().catalogue().index_of(base::trim(name));
            if (component >= 0) {
                library().catalogue().disable(component, "named in PAPI_DISABLE_COMPONENTS");
            }
        }
    }
}

int initialize(int version) {
    if (version != static_cast<int>(PAPI_VER_CURRENT)) return PAPI_EINVAL;
    auto& lib = library();
    const std::lock_guard lock(lib.life);
    // A forked child has its parent's sets, which count the parent; it begins anew.
    if (initialized() && lib.pid == ::getpid()) return PAPI_VER_CURRENT;
    if (initialized()) {
        lib.reset();
        // Nobody is here any more who would open one that another thread had closed.
        for (auto& locked : lib.locked) locked.store(false, std::memory_order_release);
    }
    disable_as_asked();
    lib.pid = ::getpid();
    lib.level.store(PAPI_LOW_LEVEL_INITED, std::memory_order_release);
    (void)lib.threads.current();
    return PAPI_VER_CURRENT;
}

}  // namespace

}  // namespace ringside::papi

using namespace ringside::papi;

extern "C" {

int PAPI_library_init(int version) {
    return guarded([&] { return initialize(version); });
}

int PAPI_is_initialized(void) {
    return library().level.load(std::memory_order_acquire);
}

void PAPI_shutdown(void) {
    (void)guarded([] {
        auto& lib = library();
        const std::lock_guard lock(lib.life);
        if (!initialized()) return PAPI_ENOINIT;
        lib.level.store(PAPI_NOT_INITED, std::memory_order_release);
        lib.reset();
        return PAPI_OK;
    });
}

int PAPI_set_debug(int level) {
    PAPI_option_t option{};
    option.debug.level = level;
    option.debug.handler = library().debug.handler;
    return PAPI_set_opt(PAPI_DEBUG, &option);
}

char* PAPI_strerror(int code) {
    return const_cast<char*>(text_of(code));
}

void PAPI_perror(const char* message) {
    const char* text = text_of(last_noted());
    if (message != nullptr && *message != '\0') std::fprintf(stderr, "%s: ", message);
    std::fprintf(stderr, "%s\n", text);
}

}  // extern "C"
