#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace ringside::base {

namespace {

ErrorCode code_of(int sys_errno) {
    switch (sys_errno) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
        case ESRCH:
            return ErrorCode::not_found;
        case EACCES:
        case EPERM:
            return ErrorCode::not_permitted;
        case ENOSYS:
        case EOPNOTSUPP:
            return ErrorCode::unsupported;
        case EINVAL:
            return ErrorCode::bad_input;
        case EBUSY:
        case EAGAIN:
            return ErrorCode::busy;
        case ETIMEDOUT:
            return ErrorCode::timed_out;
        case EINTR:
            return ErrorCode::interrupted;
        default:
            return ErrorCode::io;
    }
}

}  // namespace

Error fail_errno(int sys_errno, std::string what, std::string hint) {
    what += ": " + std::generic_category().message(sys_errno);
    return Error{code_of(sys_errno), sys_errno, std::move(what), std::move(hint)};
}

}  // namespace ringside::base
