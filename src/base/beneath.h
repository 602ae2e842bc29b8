// Opening a name that another machine chose, below a folder that we chose.
#pragma once

#include <string>

#include <sys/types.h>

#include "base/fd.h"

namespace ringside::base {

// Like openat(2), with errno when it fails, but what is opened lies below `folder`, whoever changes
// that folder meanwhile: no part of `name` is followed as a symbolic link, and none leads up.
Fd open_beneath(int folder, const std::string& name, int flags, mode_t mode = 0);

}  // namespace ringside::base
