#include "places/exits.h"

#include <csignal>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/assert.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/install_paths.h"
#include "base/process.h"
#include "base/read_file.h"
#include "base/text.h"
#include "run/folder.h"

namespace ringside::places {

namespace {

namespace fs = std::filesystem;
using base::fail;
using guest::BoxRequest;

constexpr const char* file_on_box = "/run/exits.json";

Error counter_failed(int exit_code, const std::string& log) {
    const auto said = base::read_file(log).value_or("");
    const auto lines = base::split_lines(base::trim_end(said));
    return fail(ErrorCode::unsupported,
                fmt::format("ringside kvm stat ended with {}{}{}", exit_code,
                            lines.empty() ? "" : ": ", lines.empty() ? "" : lines.back()));
}

// On the host inside of the box.
Result<void> count_on_box(BoxRequest& request, const std::string& file, const std::string& log) {
    const auto script = base::embedded_file("guest/count_exits.sh");
    RINGSIDE_ASSERT(script.has_value());
    request.beside = {"sh", "-c", std::string(*script)};
    request.host_get = {{file_on_box, file}};
    const auto outcome = guest::run_box(request);
    if (!outcome) return outcome.error();
    if (outcome->beside_exit_code.value_or(0) != 0) {
        return counter_failed(*outcome->beside_exit_code, log);
    }
    if (!outcome->missing.empty()) return fail(ErrorCode::io, "the box's host brought no counts");
    return {};
}

// On this machine: from when the command runs until it has ended.
Result<void> count_here(BoxRequest& request, const std::string& file, int log_fd,
                        const std::string& log) {
    const auto program = base::own_program();
    if (!program) return program.error();
    std::optional<base::Child> counter;
    std::optional<Error> refused;
    request.started = [&](pid_t qemu) {
        base::SpawnOptions options;
        options.stderr_fd = log_fd;
        auto child = base::spawn(
            {*program, "kvm", "stat", "-p", std::to_string(qemu), "--json", "-o", file}, options);
        if (child) {
            counter.emplace(std::move(*child));
        } else {
            refused = child.error();
        }
    };
    request.ended = [&] {
        if (counter) counter->send_signal(SIGINT);
    };
    const auto outcome = guest::run_box(request);
    if (!outcome) return outcome.error();
    if (refused) return *refused;
    if (!counter) return fail(ErrorCode::io, "the guest ended before its command began");
    const auto status = counter->wait();
    if (!status) return status.error();
    if (status->shell_code() != 0) return counter_failed(status->shell_code(), log);
    return {};
}

}  // namespace

Result<void> count_exits(BoxRequest request, const std::string& folder) {
    const std::string file = (fs::path(folder) / run::exits_file).string();
    const std::string log = (fs::path(folder) / "exits.log").string();
    const base::Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    const base::Fd log_fd(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!nothing || !log_fd) return base::fail_errno(errno, "cannot open " + log);
    request.stdout_fd = nothing.get();
    request.stderr_fd = log_fd.get();
    return request.inner ? count_on_box(request, file, log)
                         : count_here(request, file, log_fd.get(), log);
}

}  // namespace ringside::places
