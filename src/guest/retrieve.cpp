#include "guest/retrieve.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

using base::Fd;

Error refused(std::string_view name, std::string_view why) {
    return base::fail(ErrorCode::bad_input, fmt::format("the box sent '{}': {}", name, why));
}

// "a/b/c" without its first part, which is replaced by where the user wants it; nullopt if a part
// would lead elsewhere.
std::optional<std::vector<std::string>> parts_below_first(std::string_view name) {
    std::vector<std::string> parts;
    for (const auto part : base::split(name, '/')) {
        if (part.empty() || part == "." || part == "..") return std::nullopt;
        parts.emplace_back(part);
    }
    parts.erase(parts.begin());
    return parts;
}

// Opens the directory an entry belongs in, one step at a time and never through a link.
Result<Fd> open_parent(const fs::path& target, const std::vector<std::string>& parts) {
    const fs::path top = parts.empty() ? target.parent_path() : target;
    Fd fd(::open(top.empty() ? "." : top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + top.string());
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        Fd next(
            ::openat(fd.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next) return base::fail_errno(errno, "cannot enter " + parts[i]);
        fd = std::move(next);
    }
    return fd;
}

Result<void> write_regular(int parent, const std::string& name, const CpioEntry& entry) {
    ::unlinkat(parent, name.c_str(), 0);
    const Fd fd(
        ::openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return base::fail_errno(errno, "cannot create " + name);
    if (auto done = base::write_all(fd.get(), entry.content, name); !done) return done;
    if (::fchmod(fd.get(), entry.mode & 0777) != 0) {
        return base::fail_errno(errno, "cannot set the mode of " + name);
    }
    return {};
}

Result<void> place(const CpioEntry& entry, const fs::path& target) {
    const auto parts = parts_below_first(entry.name);
    if (!parts) return refused(entry.name, "not a name below what was asked for");
    const auto parent = open_parent(target, *parts);
    if (!parent) return parent.error();
    const std::string name = parts->empty() ? target.filename().string() : parts->back();
    if (S_ISREG(entry.mode)) return write_regular(parent->get(), name, entry);
    if (S_ISDIR(entry.mode)) {
        // The owner keeps access, or what is below could not be written.
        const bool made = ::mkdirat(parent->get(), name.c_str(), (entry.mode & 0777) | 0700) == 0;
        if (!made && errno != EEXIST) return base::fail_errno(errno, "cannot create " + name);
        return {};
    }
    if (S_ISLNK(entry.mode)) {
        ::unlinkat(parent->get(), name.c_str(), 0);
        const std::string link(entry.content);
        if (::symlinkat(link.c_str(), parent->get(), name.c_str()) != 0) {
            return base::fail_errno(errno, "cannot link " + name);
        }
    }
    return {};
}

fs::path target_of(const Transfer& transfer) {
    fs::path to(transfer.to);
    std::error_code error;
    if (fs::is_directory(to, error)) return to / fs::path(transfer.from).filename();
    return to;
}

}  // namespace

Result<Transfer> parse_transfer(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
        return base::fail(ErrorCode::bad_input, fmt::format("'{}' is not SRC:DST", text));
    }
    return Transfer{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<std::vector<std::string>> retrieve(std::string_view archives,
                                          const std::vector<Transfer>& wanted) {
    std::vector<std::string> missing;
    CpioReader reader(archives);
    for (const auto& transfer : wanted) {
        const fs::path target = target_of(transfer);
        bool empty = true;
        while (true) {
            const auto entry = reader.next();
            if (!entry) return entry.error();
            if (!entry->has_value()) break;
            empty = false;
            if (auto done = place(**entry, target); !done) return done.error();
        }
        if (empty) missing.push_back(transfer.from);
    }
    return missing;
}

}  // namespace ringside::guest
