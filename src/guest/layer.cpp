#include "guest/layer.h"

#include <array>
#include <set>

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "guest/cpio.h"
#include "guest/elf.h"

namespace ringside::guest {

namespace {

struct Architecture {
    std::string_view debian;
    std::string_view triplet;
    int machine;
};

constexpr std::array architectures{
    Architecture{"amd64", "x86_64-linux-gnu", EM_X86_64},
    Architecture{"arm64", "aarch64-linux-gnu", EM_AARCH64},
};

// Follows links as the machine whose root this is would: an absolute target stays inside `root`.
std::optional<fs::path> resolve(const fs::path& root, fs::path inside) {
    std::error_code error;
    for (int hops = 0; hops < 16; ++hops) {
        const fs::path here = root / inside.relative_path();
        if (!fs::is_symlink(here, error)) {
            return fs::is_regular_file(here, error) ? std::optional(here) : std::nullopt;
        }
        const fs::path target = fs::read_symlink(here, error);
        if (error) return std::nullopt;
        inside = target.is_absolute() ? target : (inside.parent_path() / target).lexically_normal();
    }
    return std::nullopt;
}

}  // namespace

LibraryPath::LibraryPath(std::string_view arch, std::vector<fs::path> roots)
    : roots_(std::move(roots)) {
    for (const auto& known : architectures) {
        if (known.debian != arch) continue;
        triplet_ = known.triplet;
        machine_ = known.machine;
    }
}

std::optional<fs::path> LibraryPath::file(std::string_view path) const {
    for (const auto& root : roots_) {
        if (auto found = resolve(root, path)) return found;
    }
    return std::nullopt;
}

std::optional<fs::path> LibraryPath::library(std::string_view soname) const {
    for (const auto& directory : directories_) {
        if (auto found = resolve("/", directory / soname)) return found;
    }
    for (const auto& root : roots_) {
        for (const auto* directory : {"/lib/", "/usr/lib/"}) {
            if (auto found = resolve(root, fs::path(directory) / triplet_ / soname)) return found;
            if (auto found = resolve(root, fs::path(directory) / soname)) return found;
        }
    }
    return std::nullopt;
}

std::optional<fs::path> LibraryPath::program(std::string_view name) const {
    for (const auto* directory : {"/usr/bin", "/bin", "/usr/sbin", "/sbin"}) {
        if (auto found = file((fs::path(directory) / name).string())) return found;
    }
    return std::nullopt;
}

void Layer::add(std::string name, Item item) {
    for (auto slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
        items_.try_emplace(name.substr(0, slash), Item{S_IFDIR | 0755, {}});
    }
    items_.insert_or_assign(std::move(name), std::move(item));
}

void Layer::add_file(std::string name, std::string content, std::uint32_t permissions) {
    add(std::move(name), {S_IFREG | permissions, std::move(content)});
}

Result<void> Layer::add_tree(const fs::path& from, const std::string& name) {
    struct stat status {};
    if (::stat(from.c_str(), &status) != 0) {
        return base::fail_errno(errno, "cannot look at " + from.string());
    }
    const std::uint32_t permissions = status.st_mode & 07777;
    if (S_ISREG(status.st_mode)) {
        auto content = read_file(from);
        if (!content) return content.error();
        add_file(name, std::move(*content), permissions);
        return {};
    }
    if (!S_ISDIR(status.st_mode)) {
        return base::fail(ErrorCode::bad_input, from.string() + " is neither file nor directory");
    }
    add(name, {S_IFDIR | permissions, {}});
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(from, error)) {
        const std::string below = name + "/" + entry.path().filename().string();
        if (entry.is_symlink()) {
            add(below, {S_IFLNK | 0777, fs::read_symlink(entry.path(), error).string()});
        } else if (auto added = add_tree(entry.path(), below); !added) {
            return added;
        }
    }
    if (error) return base::fail_errno(error.value(), "cannot read " + from.string());
    return {};
}

Result<std::vector<std::string>> Layer::add_libraries(const LibraryPath& path) {
    std::vector<std::string> todo;
    for (const auto& [name, item] : items_) {
        if (S_ISREG(item.mode)) todo.push_back(name);
    }
    std::vector<std::string> missing;
    std::set<std::string> seen;
    const auto bring = [&](const std::string& wanted, const std::string& place,
                           const std::optional<fs::path>& source) -> Result<void> {
        if (wanted.empty() || !seen.insert(place).second) return {};
        if (!source) {
            missing.push_back(wanted);
            return {};
        }
        auto content = read_file(*source);
        if (!content) return content.error();
        add_file(place, std::move(*content), 0755);
        todo.push_back(place);
        return {};
    };
    while (!todo.empty()) {
        const std::string name = std::move(todo.back());
        todo.pop_back();
        const auto facts = read_elf(bytes_of(items_.at(name).content));
        if (!facts || !facts->has_value() || (*facts)->machine != path.machine()) continue;
        const auto& interpreter = (*facts)->interpreter;
        const std::string place(interpreter.substr(interpreter.starts_with('/') ? 1 : 0));
        if (auto done = bring(interpreter, place, path.file(interpreter)); !done)
            return done.error();
        for (const auto& soname : (*facts)->needed) {
            const std::string target = fmt::format("usr/lib/{}/{}", path.triplet(), soname);
            if (auto done = bring(soname, target, path.library(soname)); !done) return done.error();
        }
    }
    return missing;
}

std::string Layer::to_cpio() const {
    CpioWriter writer;
    for (const auto& [name, item] : items_) writer.add({name, item.mode, item.content});
    return writer.finish();
}

}  // namespace ringside::guest
