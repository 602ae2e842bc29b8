#include "cli/profile_input.h"

#include <fmt/format.h>

namespace ringside::cli {

void ProfileInput::declare(Options& options) {
    options.text("-i, --input", "FILE", file, "the profile; - is standard input [perf.data]");
    options.text("--kallsyms", "FILE", kallsyms, "symbols of the recorded kernel [/proc/kallsyms]");
    options.text("--guest-kallsyms", "FILE", guest_kallsyms, "symbols of the guest's kernel");
    options.text("--symfs", "DIR", symfs, "look for binaries below DIR");
    options.flag("--no-demangle", raw_names, "show C++ names as the linker sees them");
}

profile::SymbolSources ProfileInput::sources() const {
    profile::SymbolSources sources;
    sources.kallsyms = kallsyms;
    if (!symfs.empty()) sources.host = symbols::Finder(base::SysRoot(symfs));
    if (!guest_kallsyms.empty()) sources.guest_kallsyms = guest_kallsyms;
    sources.demangle = !raw_names;
    return sources;
}

void ProfileInput::print_warnings(const std::string& who, const profile::Profile& profile) const {
    for (const auto& warning : profile.warnings) fmt::print(stderr, "{}: {}\n", who, warning);
}

}  // namespace ringside::cli
