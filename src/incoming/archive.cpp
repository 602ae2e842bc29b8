#include "incoming/archive.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd.h"

namespace ringside::incoming {

Result<Archive> Archive::open(const std::filesystem::path& file) {
    const base::Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
        return base::fail_errno(errno, "cannot read " + file.string());
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return Archive(base::Mmap());
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (address == MAP_FAILED) return base::fail_errno(errno, "cannot map " + file.string());
    return Archive(base::Mmap(address, size));
}

}  // namespace ringside::incoming
