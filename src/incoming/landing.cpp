#include "incoming/landing.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/error.h"
#include "base/file_io.h"
#include "base/text.h"
#include "base/visible.h"

namespace ringside::incoming {

namespace {

using base::Fd;

constexpr std::size_t shown_bytes = 256;

// Before the last '/', and what follows it.
std::pair<std::string, std::string> split_name(const std::string& name) {
    const auto slash = name.rfind('/');
    if (slash == std::string::npos) return {"", name};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace

Result<Landing> Landing::in(const std::filesystem::path& folder, std::string sender,
                            const Limits& limits) {
    Fd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + folder.string());
    return Landing(std::move(fd), std::move(sender), limits);
}

Error Landing::refused(const Entry& entry, std::string_view why) const {
    return base::fail(
        ErrorCode::bad_input,
        fmt::format("refused what {} sent as '{}': {}", sender_,
                    base::visible(std::string_view(entry.name).substr(0, shown_bytes)), why));
}

Error Landing::failed(const Entry& entry, std::string_view what, int error) const {
    return base::fail_errno(
        error,
        fmt::format("cannot {} '{}', which {} sent", what,
                    base::visible(std::string_view(entry.name).substr(0, shown_bytes)), sender_));
}

// Why it is no name below a folder; empty if it is one.
std::string Landing::fault_in(const std::string& name) const {
    if (name.size() > limits_.name_bytes) return "its name is too long";
    if (name.find('\0') != std::string::npos) return "there is a NUL in its name";
    const auto parts = base::split(name, '/');
    if (parts.size() > limits_.depth) return "it lies too deep";
    for (const auto part : parts) {
        if (part.empty() || part == "." || part == "..")
            return "not a name below what was asked for";
    }
    return "";
}

Result<Fd> Landing::parent_of(const Entry& entry) const {
    const auto parent = split_name(entry.name).first;
    Fd fd = base::open_beneath(folder_.get(), parent.empty() ? "." : parent,
                               O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!fd) return failed(entry, "enter the folder of", errno);
    return fd;
}

Result<void> Landing::make_folder(const Entry& entry, int parent) const {
    const auto name = split_name(entry.name).second;
    if (::mkdirat(parent, name.c_str(), 0755) == 0) return {};
    if (errno != EEXIST) return failed(entry, "make", errno);
    if (!base::open_beneath(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC)) {
        return failed(entry, "make", errno);
    }
    return {};
}

Result<void> Landing::make_file(const Entry& entry, Fd parent) const {
    auto draft = base::Draft::in(std::move(parent), split_name(entry.name).second, 0644);
    if (!draft) return failed(entry, "make", draft.error().sys_errno);
    if (auto done = base::write_all(draft->fd(), entry.content, entry.name); !done) return done;
    if (auto done = draft->publish(); !done) return failed(entry, "make", done.error().sys_errno);
    return {};
}

Result<void> Landing::take(const Entry& entry) {
    if (const auto fault = fault_in(entry.name); !fault.empty()) return refused(entry, fault);
    if (++entries_ > limits_.entries) {
        return refused(entry, fmt::format("more than {} files and folders", limits_.entries));
    }
    if (entry.content.size() > limits_.bytes - bytes_) {
        return refused(entry, fmt::format("more than {} bytes in all", limits_.bytes));
    }
    bytes_ += entry.content.size();
    if (!S_ISREG(entry.mode) && !S_ISDIR(entry.mode)) {
        return refused(entry, "neither a file nor a folder");
    }
    auto parent = parent_of(entry);
    if (!parent) return parent.error();
    return S_ISDIR(entry.mode) ? make_folder(entry, parent->get())
                               : make_file(entry, std::move(*parent));
}

}  // namespace ringside::incoming
