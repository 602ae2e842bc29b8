#include "places/embedded_guest.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "guest/layer.h"
#include "guest/shared_files.h"

namespace ringside::places {

namespace {

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (base::contains(*variable, "=")) variables.emplace_back(*variable);
    }
    return variables;
}

int cpus_for(const GuestOptions& options) {
    const auto cpus = options.cpus > 0 ? static_cast<unsigned>(options.cpus)
                                       : std::thread::hardware_concurrency();
    return static_cast<int>(std::clamp(cpus, 1u, 64u));
}

}  // namespace

Result<std::string> embedded_kind() {
    if (guest::native_arch() == "amd64") return std::string("x86-guest");
    return base::fail(ErrorCode::unsupported,
                      "there is no embedded guest for this machine's architecture yet",
                      "use one that exists: ringside compare --guest ssh:USER@HOST");
}

Result<guest::BoxRequest> embedded_guest(const GuestOptions& options, const guest::Progress& say) {
    auto kind = embedded_kind();
    if (!kind) return kind.error();
    std::error_code error;
    guest::BoxRequest request;
    request.kind = std::move(*kind);
    request.share_root = true;
    request.smp = cpus_for(options);
    request.memory_mb = static_cast<int>(options.memory_mb);
    request.shared = options.shared;
    auto variables = guest::shared_variables(own_environment(), options.shared_variables);
    request.environment = std::move(variables.kept);
    if (!variables.left_out.empty()) {
        say(fmt::format("left out of the environment: {} (--share-env NAME to have one there)",
                        fmt::join(variables.left_out, " ")));
    }
    request.directory = std::filesystem::current_path(error).string();
    if (error) return base::fail(ErrorCode::io, "no working directory: " + error.message());
    return request;
}

}  // namespace ringside::places
