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
};

// All that the bytes of an image's layer follow from. build_layer() is given this and nothing else,
// so that what decides about the bytes cannot be missing in the key().
struct Recipe {
    std::string arch;
    std::string release;  // of the kernel
    std::vector<std::string> modules;
    std::vector<std::string> programs;
    std::vector<std::string> files;
    Sets sets;
    std::string driver;         // our own module, or empty
    bool loads_driver = false;  // with the others; on the hypervisor init decides
    std::string init;

    std::string key() const;
};

// A set called by its purpose, made of these packages; from the network or not.
using Provide =
    std::function<Result<PackageSet>(std::string_view, const std::vector<std::string>&)>;

Result<Sets> collect_sets(const Kind& kind, const Provide& provide) {
    auto kernel = provide("kernel", kind.kernel_packages);
    if (!kernel) return kernel.error();
    auto tools = provide("tools", kind.tool_packages);
    if (!tools) return tools.error();
    Sets sets{std::move(*kernel), std::move(*tools), std::nullopt};
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

Result<void> add_modules(Layer& layer, const Recipe& recipe) {
    const fs::path& root = recipe.sets.kernel.root;
    const auto modules = modules_in_load_order(root, recipe.release, recipe.modules);
    if (!modules) return modules.error();
    std::string list;
    for (const auto& module : *modules) {
        const std::string name = fs::relative(module, root);
        if (auto added = layer.add_tree(module, name); !added) return added;
        list += "/" + name + "\n";
    }
    if (!recipe.driver.empty()) {
        const std::string name = fmt::format("lib/modules/{}/{}", recipe.release, driver_file);
        layer.add_file(name, recipe.driver);
        if (recipe.loads_driver) list += "/" + name + "\n";
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

Result<Layer> build_layer(const Recipe& recipe) {
    Layer layer;
    layer.add_file("init", recipe.init, 0755);
    layer.add_file("etc/passwd",
                   "root:x:0:0:root:/root:/bin/sh\n"
                   "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n");
    layer.add_file("etc/group", "root:x:0:\nnogroup:x:65534:\n");
    if (auto done = add_modules(layer, recipe); !done) return done.error();
    std::vector<fs::path> roots{recipe.sets.tools.root};
    if (recipe.sets.vmm) roots.push_back(recipe.sets.vmm->root);
    const LibraryPath path(recipe.arch, roots);
    const auto busybox = path.program("busybox");
    if (!busybox) return base::fail(ErrorCode::not_found, "no busybox in the packages");
    if (auto done = layer.add_tree(*busybox, "bin/busybox"); !done) return done.error();
    if (auto done = add_programs(layer, path, recipe.programs); !done) return done.error();
    for (const auto& name : recipe.files) {
        const auto found = path.file(name);
        if (!found) return base::fail(ErrorCode::not_found, "no file " + name + " in the packages");
        if (auto done = layer.add_tree(*found, name.substr(1)); !done) return done.error();
    }
    auto missing = layer.add_libraries(path);
    if (!missing) return missing.error();
    if (!missing->empty()) {
        return base::fail(ErrorCode::not_found, fmt::format("libraries missing in the packages: {}",
                                                            fmt::join(*missing, " ")));
    }
    return layer;
}

// Each part begins with its length, so that no two recipes run together into the same text. The
// number in front changes when build_layer() does.
std::string Recipe::key() const {
    std::string text = "2";
    const auto add = [&](std::string_view part) {
        text += fmt::format(" {}:{}", part.size(), part);
    };
    const auto add_all = [&](const std::vector<std::string>& parts) {
        add(fmt::format("{}", parts.size()));
        for (const auto& part : parts) add(part);
    };
    add(arch);
    add(release);
    add_all(modules);
    add_all(programs);
    add_all(files);
    add(sets.kernel.content);
    add(sets.tools.content);
    add(sets.vmm ? sets.vmm->content : "");
    add(driver);
    add(loads_driver ? "loaded" : "");
    add(init);
    return text;
}

Result<Recipe> make_recipe(const Kind& kind, Sets sets) {
    auto release = kernel_release(sets.kernel);
    if (!release) return release.error();
    Recipe recipe{kind.arch,
                  std::move(*release),
                  kind.modules,
                  kind.programs,
                  kind.vmm_files,
                  std::move(sets),
                  {},
                  kind.soft_pmu,
                  std::string(init_script())};
    recipe.programs.insert(recipe.programs.end(), kind.vmm_programs.begin(),
                           kind.vmm_programs.end());
    return recipe;
}

// Where the image of this recipe lies, or will lie.
Result<Image> place_image(const fs::path& cache, const Recipe& recipe) {
    const auto kernel = place_kernel(cache, recipe.sets.kernel);
    if (!kernel) return kernel.error();
    return Image{*kernel, recipe.release, cache / "layers" / (short_hash(recipe.key()) + ".cpio")};
}

}  // namespace

Result<Image> provide_image(const fs::path& cache, const Kind& kind, const Progress& progress) {
    auto sets = provide_sets(cache, kind, progress);
    if (!sets) return sets.error();
    auto recipe = make_recipe(kind, std::move(*sets));
    if (!recipe) return recipe.error();
    if (kind.has_page()) {
        auto driver = provide_driver(cache, kind.arch, recipe->release, progress);
        if (!driver) return driver.error();
        recipe->driver = std::move(*driver);
    }
    auto image = place_image(cache, *recipe);
    if (!image) return image;
    if (auto done = provide_kernel(image->kernel, recipe->sets.kernel, progress); !done) {
        return done.error();
    }
    if (fs::exists(image->initrd)) return image;

    progress(fmt::format("building the image of {}", kind.name));
    if (auto made = make_directories(image->initrd.parent_path()); !made) return made.error();
    const auto layer = build_layer(*recipe);
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
    auto recipe = make_recipe(kind, std::move(*sets));
    if (!recipe) return std::nullopt;
    if (kind.has_page()) {
        auto driver = find_driver(cache, recipe->release);
        if (!driver) return std::nullopt;
        recipe->driver = std::move(*driver);
    }
    auto image = place_image(cache, *recipe);
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
