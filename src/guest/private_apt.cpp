#include "guest/private_apt.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/process.h"
#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

constexpr std::chrono::minutes download_limit{30};

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

}  // namespace

Result<std::string> run_checked(const std::vector<std::string>& argv,
                                const std::vector<int>& kept_fds) {
    base::SpawnOptions options;
    options.kept_fds = kept_fds;
    auto output = base::run(argv, download_limit, options);
    if (!output) return output.error();
    if (output->status.shell_code() == 0) return std::move(output->stdout_text);
    auto lines = base::split_lines(output->stderr_text);
    if (lines.size() > 5) lines.erase(lines.begin(), lines.end() - 5);
    return base::fail(ErrorCode::io,
                      fmt::format("`{}` ended with {}: {}", fmt::join(argv, " "),
                                  output->status.shell_code(), fmt::join(lines, "; ")));
}

fs::path PrivateApt::name_of(const char* part) const {
    return fs::path(fmt::format("/proc/self/fd/{}", open_.get())) / part;
}

Result<PrivateApt> PrivateApt::make(fs::path directory, std::string_view arch) {
    if (auto made = make_directories(directory); !made) return made.error();
    base::Fd open(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!open) return base::fail_errno(errno, "cannot open " + directory.string());
    return PrivateApt(std::move(directory), std::move(open), arch);
}

Result<std::string> PrivateApt::apt_get(const char* part,
                                        const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"env",
                                  "APT_CONFIG=" + (name_of(part) / "apt.conf").string(),
                                  "DEBIAN_FRONTEND=noninteractive",
                                  "LC_ALL=C",
                                  "apt-get",
                                  "-q"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_checked(argv, {open_.get()});
}

// Configures an apt whose state is below `part` of our directory. Nothing of the system's own
// settings applies, its hooks included, but for `transport`: how it reaches its mirrors.
Result<void> PrivateApt::configure(const char* part, std::string_view transport,
                                   std::string_view specific) const {
    const fs::path directory = directory_ / part;
    for (const auto* folder :
         {"sources.d", "state/lists/partial", "cache/archives/partial", "cache/plan/partial"}) {
        if (auto made = make_directories(directory / folder); !made) return made;
    }
    // Whatever our umask: the folders around those that apt gives to _apt. There is no secret in
    // it.
    for (const auto* folder : {"", "state", "state/lists", "cache", "cache/archives"}) {
        ::chmod((directory / folder).c_str(), 0755);
    }
    const std::string text = fmt::format(
        "Dir::Etc::Main \"/dev/null\";\nDir::Etc::Parts \"/dev/null\";\n"
        "Dir::State \"{0}/state\";\nDir::State::status \"{0}/status\";\n"
        "Dir::Cache \"{0}/cache\";\nDir::Log \"{0}\";\n"
        "APT::Keep-Fds {{ \"{1}\"; }};\nAPT::Install-Recommends \"false\";\n"
        "Acquire::Languages \"none\";\n{2}{3}",
        name_of(part).string(), open_.get(), specific, transport);
    if (auto written = write_file(directory / "apt.conf", text); !written) return written;
    return write_file(directory / "status", "");
}

std::string PrivateApt::settings() const {
    return fmt::format(
        "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{0}/sources.d\";\n"
        "Dir::Etc::Preferences \"/dev/null\";\nDir::Etc::PreferencesParts \"/dev/null\";\n"
        "APT::Architecture \"{1}\";\nAPT::Architectures {{ \"{1}\"; }};\n",
        name_of("").string(), arch_);
}

// As the system's own package lists label them. Where these were deleted, as container images do,
// they are fetched once more, but into our directory.
Result<std::vector<AptSource>> PrivateApt::system_sources(std::string_view transport) const {
    auto targets = run_checked({"apt-get", "indextargets"});
    if (!targets) return targets.error();
    auto sources = debian_sources(*targets, base::SysRoot());
    if (!sources.empty()) return sources;

    const char* own = "system";
    if (auto done = configure(own, transport, ""); !done) return done.error();
    if (auto done = apt_get(own, {"update"}); !done) return done.error();
    targets = apt_get(own, {"indextargets"});
    if (!targets) return targets.error();
    sources = debian_sources(*targets, base::SysRoot());
    if (!sources.empty()) return sources;
    return base::fail(ErrorCode::not_found, "this system has no source of Debian packages",
                      "boxes are made of Debian packages; see sources.list(5)");
}

Result<void> PrivateApt::set_up() const {
    const auto dump = run_checked({"apt-config", "dump"});
    if (!dump) {
        Error error = dump.error();
        error.hint = "boxes are made of Debian packages, which need Debian's apt to fetch";
        return error;
    }
    const std::string transport = transport_settings(*dump);
    const auto sources = system_sources(transport);
    if (!sources) return sources.error();
    auto done = configure("", transport, settings());
    if (!done) return done;
    const std::string text = to_sources_file(*sources, arch_);
    done = write_file(directory_ / "sources.d/debian.sources", text);
    if (!done) return done;
    auto updated = apt_get("", {"-o", "APT::Update::Error-Mode=any", "update"});
    if (!updated) return updated.error();
    return {};
}

Result<std::vector<std::string>> PrivateApt::download(
    const std::vector<std::string>& packages) const {
    std::vector<std::string> install{"install", "-y", "--download-only", "--no-install-recommends"};
    install.insert(install.end(), packages.begin(), packages.end());
    // An empty archive directory makes the plan name every archive, also those already fetched.
    std::vector<std::string> plan = install;
    const std::string nothing = name_of("cache/plan").string();
    plan.insert(plan.end(), {"--print-uris", "-o", "Dir::Cache::archives=" + nothing});
    const auto planned = apt_get("", plan);
    if (!planned) return planned.error();
    const auto fetched = apt_get("", install);
    if (!fetched) return fetched.error();
    return archive_names(*planned);
}

}  // namespace ringside::guest
