// Debian packages of any architecture, with all they depend on, unpacked below our cache. Uses the
// system's own mirrors and keys through a private apt configuration: no foreign architecture is
// added to dpkg, and nothing below /var/lib/apt or /var/lib/dpkg is written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "guest/files.h"

namespace ringside::guest {

// Told what is being done, a line at a time, when it takes a while.
using Progress = std::function<void(std::string_view)>;

struct PackageSet {
    fs::path root;        // a tree as dpkg-deb -x leaves it
    std::string content;  // the files it was made of, one a line: its identity
};

// The set called `purpose` for `arch` ("arm64"), made of `packages` and their closure. At once, and
// without the network, if it is there. Several processes may ask at the same time.
Result<PackageSet> provide_packages(const fs::path& cache, std::string_view arch,
                                    std::string_view purpose,
                                    const std::vector<std::string>& packages,
                                    const Progress& progress);

// The same set, if it is there.
std::optional<PackageSet> find_packages(const fs::path& cache, std::string_view arch,
                                        std::string_view purpose,
                                        const std::vector<std::string>& packages);

// Roots of all sets of `arch` called `purpose` that are there now.
std::vector<fs::path> present_roots(const fs::path& cache, std::string_view arch,
                                    std::string_view purpose);

}  // namespace ringside::guest
