// Where this system gets Debian from, so that packages of any architecture can be fetched from the
// same place with the same trust, without touching the system's own package state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::guest {

struct AptSource {
    std::string uri;
    std::string suite;  // "bookworm", "bookworm-security"
    std::string component;
    std::string signed_by;  // empty: the system's default keyrings
    bool operator==(const AptSource&) const = default;
};

// From the text of `apt-get indextargets`: Debian's own entries only, not third parties'. The
// Signed-By of each is looked up in the sources file that the entry names.
std::vector<AptSource> debian_sources(std::string_view index_targets, const base::SysRoot& root);

// As a deb822 sources file for one architecture.
std::string to_sources_file(const std::vector<AptSource>& sources, std::string_view arch);

// The lines of `apt-config dump` that say how this system reaches its mirrors (proxies, time-outs).
std::string transport_settings(std::string_view apt_config_dump);

}  // namespace ringside::guest
