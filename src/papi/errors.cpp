#include "papi/errors.h"

#include <array>
#include <cerrno>

#include "papi/abi.h"

namespace ringside::papi {

namespace {

constexpr std::array texts = {
    "No error",
    "An argument is not valid",
    "Out of memory",
    "A system call failed",
    "The component does not support this",
    "The counters were lost",
    "A bug of the library",
    "There is no such event here",
    "The event cannot be counted together with the others",
    "The event set is not running",
    "The event set is running",
    "There is no such event set",
    "Not a preset event",
    "This hardware has no performance counters",
    "Unknown error",
    "Not permitted",
    "The library is not initialized",
    "There is no such component",
    "Not supported",
    "Not implemented",
    "The buffer is too small",
    "The domain is not supported",
    "Attributes of the event are wrong or missing",
    "Too many events or attributes",
    "These features do not go together",
    "The component of the event is disabled",
    "The component initializes itself later",
    "The event would need several passes",
#if RINGSIDE_PAPI_ABI >= 703
    "The component is disabled in part",
#endif
};
static_assert(texts.size() == PAPI_NUM_ERRORS);

thread_local int noted = PAPI_OK;

int code_of_errno(int sys_errno) {
    switch (sys_errno) {
        case EACCES:
        case EPERM:
            return PAPI_EPERM;
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return PAPI_ENOEVNT;
        case ENOMEM:
            return PAPI_ENOMEM;
        case EBUSY:
        case ENOSPC:
            return PAPI_ECNFLCT;
        case EINVAL:
        case ESRCH:  // the thread or process to attach to is gone
            return PAPI_EINVAL;
        default:
            errno = sys_errno;
            return PAPI_ESYS;
    }
}

}  // namespace

int code_of(const Error& error) {
    if (error.sys_errno != 0) return code_of_errno(error.sys_errno);
    switch (error.code) {
        case ErrorCode::not_found:
            return PAPI_ENOEVNT;
        case ErrorCode::not_permitted:
            return PAPI_EPERM;
        case ErrorCode::unsupported:
            return PAPI_ENOSUPP;
        case ErrorCode::bad_input:
            return PAPI_EINVAL;
        case ErrorCode::busy:
            return PAPI_ECNFLCT;
        case ErrorCode::timed_out:
        case ErrorCode::interrupted:
            return PAPI_EMISC;
        case ErrorCode::io:
            break;
    }
    return PAPI_ESYS;
}

const char* text_of(int code) {
    if (code > 0 || -code >= PAPI_NUM_ERRORS) return nullptr;
    return texts[static_cast<std::size_t>(-code)];
}

int note_failure(int code) {
    noted = code;
    return code;
}

int last_noted() {
    return noted;
}

}  // namespace ringside::papi
