#include "guest/driver.h"

#include <array>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/file_io.h"
#include "guest/layer.h"
#include "guest/private_apt.h"

namespace ringside::guest {

namespace {

// As they lie in the tree, which is also how they find each other.
constexpr std::array sources{
    "driver/Kbuild", "driver/driver.h",  "driver/device.c",   "driver/events.c",
    "driver/pmu.c",  "driver/samples.c", "src/soft/layout.h", "src/vpmu/page.h",
};

std::string_view source(const char* name) {
    const auto text = base::embedded_file(name);
    RINGSIDE_ASSERT(text.has_value());
    return *text;
}

// What the headers of all flavours of a kernel share lies in a folder of its own.
Result<fs::path> common_makefile(const fs::path& sources_root) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(sources_root, error)) {
        if (entry.path().string().ends_with("-common")) return entry.path() / "Makefile";
    }
    return base::fail(ErrorCode::not_found, "no kernel headers below " + sources_root.string());
}

// The packages expect to lie below /usr; named by their real place, their makefiles find all else.
Result<std::string> compile(const fs::path& headers_root, const std::string& kernel_release) {
    auto directory = TempDir::make("ringside-driver");
    if (!directory) return directory.error();
    for (const char* name : sources) {
        const fs::path to = directory->path() / name;
        if (auto made = make_directories(to.parent_path()); !made) return made.error();
        if (auto written = write_file(to, source(name)); !written) return written.error();
    }
    const fs::path kernel = headers_root / "usr/src";
    const auto makefile = common_makefile(kernel);
    if (!makefile) return makefile.error();
    const auto made =
        run_checked({"make", "-s", "-C", (kernel / ("linux-headers-" + kernel_release)).string(),
                     "-f", makefile->string(), "M=" + (directory->path() / "driver").string(),
                     "SHARED=" + (directory->path() / "src").string(), "modules"});
    if (!made) return made.error();
    return read_file(directory->path() / "driver/ringside_soft.ko");
}

fs::path module_path(const fs::path& cache, const std::string& kernel_release) {
    std::string key = kernel_release;
    for (const char* name : sources) key += source(name);
    return cache / "drivers" / (short_hash(key) + ".ko");
}

}  // namespace

std::optional<std::string> find_driver(const fs::path& cache, const std::string& kernel_release) {
    auto module = read_file(module_path(cache, kernel_release));
    if (!module) return std::nullopt;
    return std::move(*module);
}

Result<std::string> provide_driver(const fs::path& cache, const std::string& arch,
                                   const std::string& kernel_release, const Progress& progress) {
    if (arch != native_arch()) {
        return base::fail(ErrorCode::unsupported,
                          "the soft PMU's driver is compiled for this machine's architecture only");
    }
    if (auto present = find_driver(cache, kernel_release)) return std::move(*present);
    const auto headers =
        provide_packages(cache, arch, "headers", {"linux-headers-" + kernel_release}, progress);
    if (!headers) {
        Error error = headers.error();
        error.hint = "where Debian has a newer kernel by now, remove the cache to get that one";
        return error;
    }
    progress("compiling the soft PMU's driver for " + kernel_release);
    auto compiled = compile(headers->root, kernel_release);
    if (!compiled) {
        Error error = compiled.error();
        error.hint = "it needs make, gcc and the headers of exactly this kernel";
        return error;
    }
    const fs::path module = module_path(cache, kernel_release);
    if (auto made = make_directories(module.parent_path()); !made) return made.error();
    if (auto done = base::replace_file(module, *compiled); !done) return done.error();
    return compiled;
}

}  // namespace ringside::guest
