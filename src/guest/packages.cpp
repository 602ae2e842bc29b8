#include "guest/packages.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/process.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "guest/apt_sources.h"

namespace ringside::guest {

namespace {

constexpr std::chrono::minutes download_limit{30};

// Runs a program that must end with 0; the error carries the last lines of what it said.
Result<std::string> run_checked(const std::vector<std::string>& argv) {
    auto output = base::run(argv, download_limit);
    if (!output) return output.error();
    if (output->status.shell_code() == 0) return std::move(output->stdout_text);
    const auto lines = base::split_lines(output->stderr_text);
    const std::size_t from = lines.size() > 5 ? lines.size() - 5 : 0;
    return base::fail(
        ErrorCode::io,
        fmt::format("{} ended with {}: {}", argv[0], output->status.shell_code(),
                    fmt::join(lines.begin() + static_cast<long>(from), lines.end(), "; ")));
}

// apt's whole state for one architecture, below `directory`.
class PrivateApt {
  public:
    PrivateApt(fs::path directory, std::string_view arch)
        : directory_(std::move(directory)), arch_(arch) {}

    // Writes the configuration and fetches the package lists.
    Result<void> set_up() const;
    // Downloads `packages` and what they depend on; the names of the archives, sorted.
    Result<std::vector<std::string>> download(const std::vector<std::string>& packages) const;

    fs::path archives() const { return directory_ / "cache/archives"; }

  private:
    std::vector<std::string> apt(const std::vector<std::string>& arguments) const;
    Result<std::vector<AptSource>> system_sources() const;
    std::string configuration(std::string_view transport) const;

    fs::path directory_;
    std::string arch_;
};

std::string PrivateApt::configuration(std::string_view transport) const {
    const std::string here = directory_.string();
    return fmt::format(
        "Dir::Etc::Main \"/dev/null\";\nDir::Etc::Parts \"/dev/null\";\n"
        "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{0}/sources.d\";\n"
        "Dir::Etc::Preferences \"/dev/null\";\nDir::Etc::PreferencesParts \"/dev/null\";\n"
        "Dir::State \"{0}/state\";\nDir::State::status \"{0}/status\";\n"
        "Dir::Cache \"{0}/cache\";\nDir::Log \"{0}\";\n"
        "APT::Architecture \"{1}\";\nAPT::Architectures {{ \"{1}\"; }};\n"
        "APT::Sandbox::User \"root\";\nAPT::Install-Recommends \"false\";\n"
        "Acquire::Languages \"none\";\n{2}",
        here, arch_, transport);
}

std::vector<std::string> PrivateApt::apt(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"env",
                                  "APT_CONFIG=" + (directory_ / "apt.conf").string(),
                                  "DEBIAN_FRONTEND=noninteractive",
                                  "LC_ALL=C",
                                  "apt-get",
                                  "-q"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
}

// The system's entries, as its own package lists label them. Where these were deleted, as container
// images do, they are fetched once more, but into our directory.
Result<std::vector<AptSource>> PrivateApt::system_sources() const {
    auto targets = run_checked({"apt-get", "indextargets"});
    if (!targets) return targets.error();
    auto sources = debian_sources(*targets, base::SysRoot());
    if (!sources.empty()) return sources;

    const std::string state = (directory_ / "system").string();
    if (auto made = make_directories(state + "/lists/partial"); !made) return made.error();
    if (auto made = make_directories(state + "/archives/partial"); !made) return made.error();
    const std::vector<std::string> apt_get{"apt-get", "-q",
                                           "-o",      "Dir::State::lists=" + state + "/lists",
                                           "-o",      "Dir::Cache=" + state,
                                           "-o",      "APT::Sandbox::User=root",
                                           "-o",      "APT::Update::Post-Invoke-Success=",
                                           "-o",      "APT::Update::Post-Invoke="};
    auto update = apt_get;
    update.emplace_back("update");
    if (auto done = run_checked(update); !done) return done.error();
    auto list = apt_get;
    list.emplace_back("indextargets");
    targets = run_checked(list);
    if (!targets) return targets.error();
    sources = debian_sources(*targets, base::SysRoot());
    if (!sources.empty()) return sources;
    return base::fail(ErrorCode::not_found, "this system has no source of Debian packages",
                      "boxes are made of Debian packages; see sources.list(5)");
}

Result<void> PrivateApt::set_up() const {
    const auto sources = system_sources();
    if (!sources) return sources.error();
    auto dump = run_checked({"apt-config", "dump"});
    if (!dump) return dump.error();
    for (const auto* part :
         {"sources.d", "state/lists/partial", "cache/archives/partial", "cache/plan/partial"}) {
        if (auto made = make_directories(directory_ / part); !made) return made;
    }
    const std::vector<std::pair<fs::path, std::string>> files{
        {directory_ / "status", ""},
        {directory_ / "sources.d/debian.sources", to_sources_file(*sources, arch_)},
        {directory_ / "apt.conf", configuration(transport_settings(*dump))}};
    for (const auto& [path, content] : files) {
        if (auto written = write_file(path, content); !written) return written;
    }
    auto updated = run_checked(apt({"-o", "APT::Update::Error-Mode=any", "update"}));
    if (!updated) return updated.error();
    return {};
}

// `apt-get --print-uris` prints "'URI' FILE SIZE HASH" for each archive.
std::vector<std::string> archive_names(std::string_view print_uris) {
    std::vector<std::string> names;
    for (const auto line : base::split_lines(print_uris)) {
        const auto words = base::split_words(line);
        if (words.size() >= 3 && words[0].starts_with('\'') && words[1].ends_with(".deb")) {
            names.emplace_back(words[1]);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::vector<std::string>> PrivateApt::download(
    const std::vector<std::string>& packages) const {
    std::vector<std::string> install{"install", "-y", "--download-only", "--no-install-recommends"};
    std::vector<std::string> plan = install;
    // An empty archive directory makes the plan name every archive, also those already fetched.
    const std::string nothing = (directory_ / "cache/plan").string();
    plan.insert(plan.end(), {"--print-uris", "-o", "Dir::Cache::archives=" + nothing});
    plan.insert(plan.end(), packages.begin(), packages.end());
    install.insert(install.end(), packages.begin(), packages.end());
    auto planned = run_checked(apt(plan));
    if (!planned) return planned.error();
    if (auto done = run_checked(apt(install)); !done) return done.error();
    return archive_names(*planned);
}

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
    const PrivateApt apt(cache / "packages" / arch / "apt", arch);
    if (auto ready = apt.set_up(); !ready) return ready.error();
    auto archives = apt.download(packages);
    if (!archives) return archives.error();
    progress(fmt::format("unpacking {} packages for {}", archives->size(), arch));
    // A draft that an interrupted run left behind is removed: we hold the lock.
    const fs::path draft = directory.string() + ".new";
    std::error_code error;
    fs::remove_all(draft, error);
    if (auto done = unpack(apt, *archives, draft / "root"); !done) return done.error();
    const std::string content = fmt::format("{}\n", fmt::join(*archives, "\n"));
    if (auto done = write_file(draft / "packages", content); !done) return done.error();
    fs::rename(draft, directory, error);
    if (error) return base::fail_errno(error.value(), "cannot rename to " + directory.string());
    return present_set(directory);
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
