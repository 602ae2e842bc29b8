#include "components/number_file.h"

#include <array>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"

namespace ringside::components {

std::optional<std::uint64_t> NumberFile::read() {
    if (const auto value = read_open()) return value;
    file_ = base::Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    return read_open();
}

std::optional<std::uint64_t> NumberFile::read_open() const {
    if (!file_) return std::nullopt;
    std::array<char, 64> text;
    const ssize_t count = ::pread(file_.get(), text.data(), text.size(), 0);
    if (count <= 0) return std::nullopt;
    return base::parse_u64(base::trim({text.data(), static_cast<std::size_t>(count)}));
}

}  // namespace ringside::components
