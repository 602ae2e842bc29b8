#include "measure/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/error.h"

namespace ringside::measure {

namespace {

namespace fs = std::filesystem;
using base::fail;

Result<base::Fd> create_file(const fs::path& path) {
    base::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return base::fail_errno(errno, "cannot create " + path.string());
    return fd;
}

double size_bytes(const base::Fd& fd) {
    struct stat info {};
    return ::fstat(fd.get(), &info) == 0 ? static_cast<double>(info.st_size) : 0;
}

}  // namespace

Result<RunOutputs> RunOutputs::create(const fs::path& folder, const std::string& prefix,
                                      const Plan& plan) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail(ErrorCode::io, "cannot create " + folder.string());
    RunOutputs outputs(plan);
    outputs.nothing_ = base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto out = create_file(folder / (prefix + "stdout"));
    if (!out) return out.error();
    auto err = create_file(folder / (prefix + "stderr"));
    if (!err) return err.error();
    outputs.out_ = std::move(*out);
    outputs.err_ = std::move(*err);
    return outputs;
}

void RunOutputs::connect(CommandHooks& hooks) {
    hooks.stdin_fd = nothing_.get();
    hooks.stdout_fd = out_.get();
    hooks.stderr_fd = err_.get();
    hooks.own_group = true;
    hooks.before = [this](pid_t command) {
        command_ = command;
        started_ = std::chrono::steady_clock::now();
        return Result<void>();
    };
    hooks.tick_every = std::chrono::milliseconds(100);
    hooks.tick = [this] {
        if (!stopped_) stopped_ = beyond_limits();
        if (stopped_) ::kill(-command_, SIGKILL);
    };
    hooks.after = [this](const base::ExitStatus&) -> Result<void> {
        return stopped_ ? Result<void>(*stopped_) : Result<void>();
    };
}

double RunOutputs::lived_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::optional<Error> RunOutputs::beyond_limits() const {
    if (lived_s() > plan_->timeout_s) {
        return fail(ErrorCode::timed_out,
                    fmt::format("{} did not end within {} s and was killed", plan_->command[0],
                                plan_->timeout_s),
                    "--timeout S allows more");
    }
    if (size_bytes(out_) + size_bytes(err_) > plan_->output_limit_mb * 1e6) {
        return fail(ErrorCode::io,
                    fmt::format("{} printed more than {} MB and was killed", plan_->command[0],
                                plan_->output_limit_mb),
                    "--output-limit MB allows more");
    }
    return std::nullopt;
}

}  // namespace ringside::measure
