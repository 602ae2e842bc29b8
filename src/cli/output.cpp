#include "cli/output.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/file_io.h"
#include "cli/terminal.h"

namespace ringside::cli {

namespace {

// Devices and pipes ("/dev/stdout") cannot be replaced by a new file.
bool is_special(const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

Result<void> write_special(const std::string& file, std::string_view text) {
    const base::Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + file);
    return base::write_all(fd.get(), text, file);
}

}  // namespace

CommandHooks hooks_beside(const OutputChoice& output) {
    CommandHooks hooks;
    if (output.takes_stdout()) hooks.stdout_fd = STDERR_FILENO;
    return hooks;
}

measure::Outcome run_command(const std::vector<std::string>& argv, const OutputChoice& output,
                             CommandHooks hooks) {
    hooks.stdout_fd = hooks_beside(output).stdout_fd;
    return measure::run_command(argv, hooks);
}

void declare_output(Options& options, OutputChoice& choice, bool with_csv) {
    options.flag("--json", choice.json, "machine-readable output with a stable schema");
    if (with_csv) options.flag("--csv", choice.csv, "the same as comma-separated values");
    options.text("-o, --output", "FILE", choice.file, "write it to FILE, whole or not at all");
}

Result<void> deliver_bytes(const OutputChoice& choice, std::string_view bytes) {
    if (choice.file.empty()) return base::write_all(STDOUT_FILENO, bytes, "standard output");
    if (is_special(choice.file)) return write_special(choice.file, bytes);
    return base::replace_file(choice.file, bytes);
}

Result<void> deliver(const OutputChoice& choice, std::string_view text) {
    return choice.json || choice.csv ? deliver_bytes(choice, text)
                                     : deliver_bytes(choice, for_terminal(text));
}

}  // namespace ringside::cli
