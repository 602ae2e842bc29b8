// Short ways to make an Error. Every message names what failed and on what.
#pragma once

#include <string>

#include <ringside/result.h>

namespace ringside::base {

inline Error fail(ErrorCode code, std::string what, std::string hint = {}) {
    return Error{code, 0, std::move(what), std::move(hint)};
}

// From a system call: appends strerror(sys_errno) to `what` and derives the code from it.
Error fail_errno(int sys_errno, std::string what, std::string hint = {});

}  // namespace ringside::base
