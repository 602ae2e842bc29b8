// The part of a box that does not depend on what is run in it: kernel, init, modules, perf and,
// for hosts, QEMU. Built from packages once and cached by content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/kinds.h"
#include "guest/layer.h"
#include "guest/packages.h"

namespace ringside::guest {

struct Image {
    fs::path kernel;
    std::string release;  // of the kernel
    fs::path initrd;      // a cpio archive; others may be appended
};

// Downloads and builds whatever is not in the cache yet.
Result<Image> provide_image(const fs::path& cache, const Kind& kind, const Progress& progress);

// The same image, if all of it is in the cache.
std::optional<Image> find_image(const fs::path& cache, const Kind& kind);

// Where programs put into a box of `kind` find their libraries: its own packages, then packages the
// cross build uses, then, for our own architecture, this machine.
LibraryPath library_path(const fs::path& cache, const Kind& kind);

}  // namespace ringside::guest
