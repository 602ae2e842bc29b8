#include "cli/output.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"

namespace ringside::cli {

namespace {

Result<void> write_all(int fd, std::string_view text, const std::string& name) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return base::fail_errno(errno, "cannot write " + name);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// Devices and pipes ("/dev/stdout") cannot be replaced by a new file.
bool is_special(const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

Result<void> write_special(const std::string& file, std::string_view text) {
    const base::Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + file);
    return write_all(fd.get(), text, file);
}

// Writes beside the target and renames, so that the target is never half written.
Result<void> replace_file(const std::string& file, std::string_view text) {
    std::string temporary = file + ".XXXXXX";
    base::Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot create " + file);
    ::fchmod(fd.get(), 0644);
    auto written = write_all(fd.get(), text, file);
    if (written && ::rename(temporary.c_str(), file.c_str()) != 0) {
        written = base::fail_errno(errno, "cannot create " + file);
    }
    if (!written) ::unlink(temporary.c_str());
    return written;
}

}  // namespace

void declare_output(Options& options, OutputChoice& choice, bool with_csv) {
    options.flag("--json", choice.json, "machine-readable output with a stable schema");
    if (with_csv) options.flag("--csv", choice.csv, "the same as comma-separated values");
    options.text("-o, --output", "FILE", choice.file, "write it to FILE, whole or not at all");
}

Result<void> deliver(const OutputChoice& choice, std::string_view text) {
    if (choice.file.empty()) return write_all(STDOUT_FILENO, text, "to standard output");
    if (is_special(choice.file)) return write_special(choice.file, text);
    return replace_file(choice.file, text);
}

}  // namespace ringside::cli
