#include "base/kept_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::base {

Result<std::string_view> KeptFile::read() {
    if (file_) {
        if (auto text = read_again()) return text;
    }
    file_ = Fd(::open(place_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_) return fail_errno(errno, "cannot open " + name_);
    return read_on();
}

Result<std::string_view> KeptFile::read_again() {
    for (;;) {
        const ssize_t count = ::pread(file_.get(), text_.data(), text_.size(), 0);
        if (count < 0) return fail_errno(errno, "cannot read " + name_);
        const auto size = static_cast<std::size_t>(count);
        if (size < text_.size()) return std::string_view(text_.data(), size);
        text_.resize(2 * text_.size());
    }
}

Result<std::string_view> KeptFile::read_on() {
    std::size_t size = 0;
    for (;;) {
        const ssize_t count = ::read(file_.get(), text_.data() + size, text_.size() - size);
        if (count < 0) return fail_errno(errno, "cannot read " + name_);
        if (count == 0) return std::string_view(text_.data(), size);
        size += static_cast<std::size_t>(count);
        if (size == text_.size()) text_.resize(2 * text_.size());
    }
}

}  // namespace ringside::base
