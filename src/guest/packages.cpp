#include "guest/packages.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file_io.h"
#include "guest/private_apt.h"

namespace ringside::guest {

namespace {

Result<void> unpack(const PrivateApt& apt, const std::vector<std::string>& archives,
                    const fs::path& root) {
    if (auto made = make_directories(root); !made) return made;
    for (const auto& name : archives) {
        auto done =
            run_checked({"dpkg-deb", "-x", (apt.archives() / name).string(), root.string()});
        if (!done) return done.error();
    }
    return {};
}

Result<PackageSet> present_set(const fs::path& directory) {
    auto content = read_file(directory / "packages");
    if (!content) return content.error();
    return PackageSet{directory / "root", std::move(*content)};
}

// The name holds what was asked for, so that another version of us with other wishes gets its own.
fs::path set_directory(const fs::path& cache, std::string_view arch, std::string_view purpose,
                       const std::vector<std::string>& packages) {
    return cache / "packages" / arch /
           fmt::format("{}-{}", purpose, short_hash(fmt::format("{}", fmt::join(packages, " "))));
}

}  // namespace

Result<PackageSet> provide_packages(const fs::path& cache, std::string_view arch,
                                    std::string_view purpose,
                                    const std::vector<std::string>& packages,
                                    const Progress& progress) {
    const fs::path directory = set_directory(cache, arch, purpose, packages);
    if (auto present = present_set(directory)) return present;
    auto lock = FileLock::take(cache / "packages" / arch / "lock");
    if (!lock) return lock.error();
    if (auto present = present_set(directory)) return present;

    progress(fmt::format("fetching Debian packages for {}: {}", arch, fmt::join(packages, " ")));
    const auto apt = PrivateApt::make(cache / "packages" / arch / "apt", arch);
    if (!apt) return apt.error();
    if (auto ready = apt->set_up(); !ready) return ready.error();
    auto archives = apt->download(packages);
    if (!archives) return archives.error();
    progress(fmt::format("unpacking {} packages for {}", archives->size(), arch));
    // A draft that an interrupted run left behind is removed: we hold the lock.
    const fs::path draft = directory.string() + ".new";
    std::error_code error;
    fs::remove_all(draft, error);
    if (auto done = unpack(*apt, *archives, draft / "root"); !done) return done.error();
    const std::string content = fmt::format("{}\n", fmt::join(*archives, "\n"));
    if (auto done = write_file(draft / "packages", content); !done) return done.error();
    // What was fetched before a power cut is whole afterwards, or is fetched again.
    if (auto done = base::sync_file_system_of(draft); !done) return done.error();
    fs::rename(draft, directory, error);
    if (error) return base::fail_errno(error.value(), "cannot rename to " + directory.string());
    return present_set(directory);
}

std::optional<PackageSet> find_packages(const fs::path& cache, std::string_view arch,
                                        std::string_view purpose,
                                        const std::vector<std::string>& packages) {
    auto present = present_set(set_directory(cache, arch, purpose, packages));
    return present ? std::optional(std::move(*present)) : std::nullopt;
}

std::vector<fs::path> present_roots(const fs::path& cache, std::string_view arch,
                                    std::string_view purpose) {
    std::vector<fs::path> roots;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cache / "packages" / arch, error)) {
        const std::string name = entry.path().filename();
        const bool ours = name.starts_with(fmt::format("{}-", purpose)) && !name.ends_with(".new");
        if (ours && fs::exists(entry.path() / "packages")) roots.push_back(entry.path() / "root");
    }
    std::sort(roots.begin(), roots.end());
    return roots;
}

}  // namespace ringside::guest
