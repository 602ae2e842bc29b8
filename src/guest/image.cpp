#include "guest/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/file_io.h"
#include "guest/driver.h"
#include "guest/kernel.h"
#include "guest/modules.h"

namespace ringside::guest {

namespace {

struct Sets {
    PackageSet kernel;
    PackageSet tools;
    std::optional<PackageSet> vmm;
    std::string driver;  // our own module, or empty
};

// A set called by its purpose, made of these packages; from the network or not.
using Provide =
    std::function<Result<PackageSet>(std::string_view, const std::vector<std::string>&)>;

Result<Sets> collect_sets(const Kind& kind, const Provide& provide) {
    auto kernel = provide("kernel", kind.kernel_packages);
    if (!kernel) return kernel.error();
    auto tools = provide("tools", kind.tool_packages);
    if (!tools) return tools.error();
    Sets sets{std::move(*kernel), std::move(*tools), std::nullopt, {}};
    if (kind.vmm_packages.empty()) return sets;
    auto vmm = provide("vmm", kind.vmm_packages);
    if (!vmm) return vmm.error();
    sets.vmm = std::move(*vmm);
    return sets;
}

Result<Sets> provide_sets(const fs::path& cache, const Kind& kind, const Progress& progress) {
    return collect_sets(kind, [&](std::string_view purpose, const auto& packages) {
        return provide_packages(cache, kind.arch, purpose, packages, progress);
    });
}

std::string_view init_script() {
    const auto script = base::embedded_file("testbed/init");
    RINGSIDE_ASSERT(script.has_value());
    return *script;
}

Result<void> add_modules(Layer& layer, const Sets& sets, const std::string& release,
                         const Kind& kind) {
    const auto modules = modules_in_load_order(sets.kernel.root, release, kind.modules);
    if (!modules) return modules.error();
    std::string list;
    for (const auto& module : *modules) {
        const std::string name = fs::relative(module, sets.kernel.root);
        if (auto added = layer.add_tree(module, name); !added) return added;
        list += "/" + name + "\n";
    }
    if (!sets.driver.empty()) {
        const std::string name = fmt::format("lib/modules/{}/{}", release, driver_file);
        layer.add_file(name, sets.driver);
        // On the hypervisor it depends on the policy, which init knows.
        if (kind.soft_pmu) list += "/" + name + "\n";
    }
    layer.add_file("ringside/modules", std::move(list));
    return {};
}

Result<void> add_programs(Layer& layer, const LibraryPath& path,
                          const std::vector<std::string>& names) {
    for (const auto& name : names) {
        const auto found = path.program(name);
        if (!found)
            return base::fail(ErrorCode::not_found, "no program " + name + " in the packages");
        auto content = read_file(*found);
        if (!content) return content.error();
        layer.add_file("usr/bin/" + name, std::move(*content), 0755);
    }
    return {};
}

Result<Layer> build_layer(const Kind& kind, const Sets& sets, const std::string& release) {
    Layer layer;
    layer.add_file("init", std::string(init_script()), 0755);
    layer.add_file("etc/passwd",
                   "root:x:0:0:root:/root:/bin/sh\n"
                   "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n");
    layer.add_file("etc/group", "root:x:0:\nnogroup:x:65534:\n");
    if (auto done = add_modules(layer, sets, release, kind); !done) return done.error();
    std::vector<fs::path> roots{sets.tools.root};
    if (sets.vmm) roots.push_back(sets.vmm->root);
    const LibraryPath path(kind.arch, roots);
    const auto busybox = path.program("busybox");
    if (!busybox) return base::fail(ErrorCode::not_found, "no busybox in the packages");
    if (auto done = layer.add_tree(*busybox, "bin/busybox"); !done) return done.error();
    if (auto done = add_programs(layer, path, kind.programs); !done) return done.error();
    if (auto done = add_programs(layer, path, kind.vmm_programs); !done) return done.error();
    for (const auto& name : kind.vmm_files) {
        const auto found = path.file(name);
        if (!found) return base::fail(ErrorCode::not_found, "no file " + name + " in the packages");
        if (auto done = layer.add_tree(*found, name.substr(1)); !done) return done.error();
    }
    auto missing = layer.add_libraries(path);
    if (!missing) return missing.error();
    if (!missing->empty()) {
        return base::fail(ErrorCode::not_found,
                          fmt::format("libraries missing in the packages of {}: {}", kind.name,
                                      fmt::join(*missing, " ")));
    }
    return layer;
}

// All that the bytes of the layer follow from. The number changes when this file's way of building
// does.
std::string layer_key(const Kind& kind, const Sets& sets) {
    return fmt::format("1\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}{}\n", kind.arch,
                       fmt::join(kind.modules, " "), fmt::join(kind.programs, " "),
                       fmt::join(kind.vmm_programs, " "), fmt::join(kind.vmm_files, " "),
                       sets.kernel.content, sets.tools.content, sets.vmm ? sets.vmm->content : "",
                       init_script(), sets.driver);
}

// Where the image made of these sets lies, or will lie.
Result<Image> place_image(const fs::path& cache, const Kind& kind, const Sets& sets) {
    const auto kernel = place_kernel(cache, sets.kernel);
    if (!kernel) return kernel.error();
    const auto release = kernel_release(sets.kernel);
    if (!release) return release.error();
    return Image{*kernel, *release,
                 cache / "layers" / (short_hash(layer_key(kind, sets)) + ".cpio")};
}

}  // namespace

Result<Image> provide_image(const fs::path& cache, const Kind& kind, const Progress& progress) {
    auto sets = provide_sets(cache, kind, progress);
    if (!sets) return sets.error();
    const auto release = kernel_release(sets->kernel);
    if (!release) return release.error();
    if (kind.has_page()) {
        auto driver = provide_driver(cache, kind.arch, *release, progress);
        if (!driver) return driver.error();
        sets->driver = std::move(*driver);
    }
    auto image = place_image(cache, kind, *sets);
    if (!image) return image;
    if (auto done = provide_kernel(image->kernel, sets->kernel, progress); !done) {
        return done.error();
    }
    if (fs::exists(image->initrd)) return image;

    progress(fmt::format("building the image of {}", kind.name));
    if (auto made = make_directories(image->initrd.parent_path()); !made) return made.error();
    const auto layer = build_layer(kind, *sets, image->release);
    if (!layer) return layer.error();
    if (auto done = base::replace_file(image->initrd, layer->to_cpio()); !done) {
        return done.error();
    }
    return image;
}

std::optional<Image> find_image(const fs::path& cache, const Kind& kind) {
    auto sets = collect_sets(
        kind, [&](std::string_view purpose, const auto& packages) -> Result<PackageSet> {
            auto set = find_packages(cache, kind.arch, purpose, packages);
            if (set) return std::move(*set);
            return base::fail(ErrorCode::not_found, "not there");
        });
    if (!sets) return std::nullopt;
    if (kind.has_page()) {
        const auto release = kernel_release(sets->kernel);
        auto driver = release ? find_driver(cache, *release) : std::nullopt;
        if (!driver) return std::nullopt;
        sets->driver = std::move(*driver);
    }
    auto image = place_image(cache, kind, *sets);
    if (!image || !fs::exists(image->kernel) || !fs::exists(image->initrd)) return std::nullopt;
    return *image;
}

LibraryPath library_path(const fs::path& cache, const Kind& kind) {
    std::vector<fs::path> roots;
    for (const auto* purpose : {"tools", "vmm", "sysroot"}) {
        for (auto& root : present_roots(cache, kind.arch, purpose))
            roots.push_back(std::move(root));
    }
    if (kind.arch == native_arch()) roots.emplace_back("/");
    return LibraryPath(kind.arch, std::move(roots));
}

}  // namespace ringside::guest
