#include "cli/profile_input.h"

#include <filesystem>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/terminal.h"

namespace ringside::cli {

namespace {

// "12,34" as numbers.
Result<std::vector<std::uint32_t>> parse_numbers(const std::string& text,
                                                 const std::string& option) {
    std::vector<std::uint32_t> ids;
    if (text.empty()) return ids;
    for (const auto word : base::split(text, ',')) {
        const auto id = base::parse_u64(base::trim(word));
        if (!id || *id > ~std::uint32_t{0})
            return base::fail(ErrorCode::bad_input,
                              option + ": no number: \"" + std::string(word) + "\"");
        ids.push_back(static_cast<std::uint32_t>(*id));
    }
    return ids;
}

// "sh,cc1plus" and several options alike.
std::vector<std::string> split_names(const std::vector<std::string>& options) {
    std::vector<std::string> names;
    for (const auto& option : options)
        for (const auto name : base::split(option, ',')) names.emplace_back(base::trim(name));
    return names;
}

// "4711=/tmp/guest" for the guest that VMM 4711 runs, "/tmp/guest" for every guest.
std::pair<std::uint32_t, std::string> of_machine(const std::string& text) {
    const auto equals = text.find('=');
    const auto pid = base::parse_u64(text.substr(0, equals));
    if (equals == std::string::npos || !pid) return {profile::every_machine, text};
    return {static_cast<std::uint32_t>(*pid), text.substr(equals + 1)};
}

}  // namespace

std::string newest_recording() {
    std::error_code none;
    const auto ours = std::filesystem::last_write_time("ringside.data", none);
    if (none) return "perf.data";
    const auto perfs = std::filesystem::last_write_time("perf.data", none);
    return none || ours >= perfs ? "ringside.data" : "perf.data";
}

void ProfileInput::declare(Options& options) {
    options.text("-i, --input", "FILE", file,
                 "the profile; - is standard input [the newer of ringside.data and perf.data]");
    options.text("--kallsyms", "FILE", kallsyms, "symbols of the recorded kernel [/proc/kallsyms]");
    options.texts("--guest-kallsyms", "[PID=]FILE", guest_kallsyms,
                  "symbols of the guest's kernel; of the guest that PID runs");
    options.texts("--guest-root", "[PID=]DIR", guest_roots,
                  "the guest's files, mounted or copied; its kernel's symbols are in "
                  "DIR/proc/kallsyms");
    options.text("--symfs", "DIR", symfs, "look for binaries below DIR");
    options.flag("--no-demangle", raw_names, "show C++ names as the linker sees them");
    options.flag("--no-inline", no_inline, "leave inlined functions out of stacks");
}

void ProfileInput::declare_filters(Options& options) {
    options.text("--time", "SLICE", time,
                 "only samples in FROM,TO (seconds), 10%-20% or 10%/2 of the time");
    options.texts("--comm", "NAMES", comms, "only of threads with these names");
    options.text("--pid", "PIDS", pids, "only of these processes");
    options.text("--tid", "TIDS", tids, "only of these threads");
    options.text("-C, --cpu", "CPUS", cpus, "only on these CPUs, as in 0-3,8");
    options.texts("--dso", "NAMES", modules, "only in these modules");
    options.texts("--symbol", "NAME", functions, "only in this function");
    options.text("--mode", "MODES", modes,
                 "only in user, kernel, hypervisor, guest_user, guest_kernel, host, guest");
}

symbols::Finder ProfileInput::finder() const {
    return symfs.empty() ? symbols::Finder() : symbols::Finder(base::SysRoot(symfs));
}

Result<profile::LoadOptions> ProfileInput::load_options() const {
    profile::LoadOptions options;
    options.programs = finder();
    if (!time.empty()) {
        auto window = profile::parse_window(time);
        if (!window) return window.error();
        options.window = *window;
    }
    auto& filter = options.filter;
    for (const auto& [text, name, list] :
         {std::tuple{&pids, "--pid", &filter.pids}, std::tuple{&tids, "--tid", &filter.tids}}) {
        auto ids = parse_numbers(*text, name);
        if (!ids) return ids.error();
        *list = std::move(*ids);
    }
    if (!cpus.empty()) {
        const auto list = base::parse_cpu_list(cpus);
        if (!list) return base::fail(ErrorCode::bad_input, "no list of CPUs: \"" + cpus + "\"");
        filter.cpus.assign(list->begin(), list->end());
    }
    if (!modes.empty()) {
        auto list = profile::parse_modes(modes);
        if (!list) return list.error();
        filter.modes = std::move(*list);
    }
    filter.comms = split_names(comms);
    filter.modules = split_names(modules);
    // A C++ name may hold commas: one for each option.
    filter.symbols = functions;
    return options;
}

profile::SymbolSources ProfileInput::sources() const {
    profile::SymbolSources sources;
    sources.kallsyms = kallsyms;
    sources.host = finder();
    for (const auto& root : guest_roots) {
        const auto [machine, folder] = of_machine(root);
        sources.guests[machine].root = folder;
        sources.guests[machine].kallsyms = folder + "/proc/kallsyms";
    }
    for (const auto& text : guest_kallsyms) {
        const auto [machine, path] = of_machine(text);
        sources.guests[machine].kallsyms = path;
    }
    sources.demangle = !raw_names;
    sources.inlined = !no_inline;
    return sources;
}

void ProfileInput::print_warnings(const std::string& who, const profile::Profile& profile) const {
    for (const auto& warning : profile.warnings)
        print_text(stderr, fmt::format("{}: {}\n", who, warning));
}

}  // namespace ringside::cli
