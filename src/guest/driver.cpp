#include "guest/driver.h"

#include <array>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/file_io.h"
#include "base/scratch_dir.h"
#include "base/text.h"
#include "guest/layer.h"
#include "guest/private_apt.h"

namespace ringside::guest {

namespace {

// As they lie in the tree, which is also how they find each other.
constexpr std::array sources{
    "driver/Kbuild",         "driver/device.c",     "driver/driver.h",     "driver/events.c",
    "driver/hypervisor.c",   "driver/hypervisor.h", "driver/ivshmem.c",    "driver/logical.c",
    "driver/pmu.c",          "driver/samples.c",    "src/abi/hypercall.h", "src/abi/layout.h",
    "src/abi/soft_counts.h", "src/abi/vpmu_page.h",
};

std::string_view source(const char* name) {
    const auto text = base::embedded_file(name);
    RINGSIDE_ASSERT(text.has_value());
    return *text;
}

// What make needs of a kernel: its own headers, and the makefile of what all flavours share.
struct KernelTree {
    fs::path headers;
    fs::path makefile;
};

std::string headers_of(std::string_view kernel_release) {
    return fmt::format("linux-headers-{}", kernel_release);
}

// Debian's packages beside the headers of "6.1.0-54-arm64" or "6.1.0-54-rt-arm64", the tools that
// make runs among them.
std::vector<std::string> shared_packages(const std::string& kernel_release) {
    const auto version =
        kernel_release.substr(0, kernel_release.find('-', kernel_release.find('-') + 1));
    const bool real_time = base::contains(kernel_release, "-rt-");
    const auto minor_end = kernel_release.find('.', kernel_release.find('.') + 1);
    return {headers_of(version + (real_time ? "-common-rt" : "-common")),
            "linux-kbuild-" + kernel_release.substr(0, minor_end)};
}

fs::path common_makefile(const fs::path& root, const std::string& kernel_release) {
    return root / "usr/src" / shared_packages(kernel_release)[0] / "Makefile";
}

// Headers of another architecture come with tools that cannot run here: a folder of links to
// everything but these, which are those of this machine's `tools`.
Result<KernelTree> with_own_tools(const fs::path& headers_root, const fs::path& tools_root,
                                  const std::string& kernel_release, const fs::path& folder) {
    if (auto made = make_directories(folder); !made) return made.error();
    const auto packages = shared_packages(kernel_release);
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator(headers_root / "usr/src" / headers_of(kernel_release), error)) {
        const auto name = entry.path().filename();
        const bool is_tool = name == "scripts" || name == "tools";
        const fs::path to = is_tool ? tools_root / "usr/lib" / packages[1] / name : entry.path();
        if (!error) fs::create_symlink(to, folder / name, error);
    }
    if (error) return base::fail_errno(error.value(), "cannot link to a kernel's headers");
    return KernelTree{folder, common_makefile(tools_root, kernel_release)};
}

// The packages expect to lie below /usr; named by their real place, their makefiles find all else.
Result<std::string> compile(const KernelTree& kernel, const std::string& arch,
                            const fs::path& folder) {
    for (const char* name : sources) {
        const fs::path to = folder / name;
        if (auto made = make_directories(to.parent_path()); !made) return made.error();
        if (auto written = write_file(to, source(name)); !written) return written.error();
    }
    std::vector<std::string> command{"make",
                                     "-s",
                                     "-C",
                                     kernel.headers.string(),
                                     "-f",
                                     kernel.makefile.string(),
                                     "M=" + (folder / "driver").string(),
                                     "SHARED=" + (folder / "src").string(),
                                     "modules"};
    if (arch != native_arch()) {
        command.push_back(fmt::format("CROSS_COMPILE={}-", LibraryPath(arch, {}).triplet()));
    }
    if (const auto made = run_checked(command); !made) return made.error();
    return read_file(folder / "driver" / driver_file);
}

Result<std::string> fetch_and_compile(const fs::path& cache, const std::string& arch,
                                      const std::string& kernel_release, const Progress& progress) {
    const auto headers =
        provide_packages(cache, arch, "headers", {headers_of(kernel_release)}, progress);
    if (!headers) return headers.error();
    auto directory = base::ScratchDir::make("ringside-driver");
    if (!directory) return directory.error();
    KernelTree kernel{headers->root / "usr/src" / headers_of(kernel_release),
                      common_makefile(headers->root, kernel_release)};
    if (arch != native_arch()) {
        const auto tools = provide_packages(cache, native_arch(), "kbuild",
                                            shared_packages(kernel_release), progress);
        if (!tools) return tools.error();
        auto linked = with_own_tools(headers->root, tools->root, kernel_release,
                                     directory->path() / "headers");
        if (!linked) return linked.error();
        kernel = std::move(*linked);
    }
    progress("compiling the driver of the shared page for " + kernel_release);
    return compile(kernel, arch, directory->path());
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
    if (auto present = find_driver(cache, kernel_release)) return std::move(*present);
    auto compiled = fetch_and_compile(cache, arch, kernel_release, progress);
    if (!compiled) {
        Error error = compiled.error();
        error.hint = fmt::format(
            "it needs make, {}gcc-12 and the headers of exactly this kernel; where Debian has a "
            "newer kernel by now, remove the cache to get that one",
            arch == native_arch() ? "" : LibraryPath(arch, {}).triplet() + "-");
        return error;
    }
    const fs::path module = module_path(cache, kernel_release);
    if (auto made = make_directories(module.parent_path()); !made) return made.error();
    if (auto done = base::replace_file(module, *compiled); !done) return done.error();
    return compiled;
}

}  // namespace ringside::guest
