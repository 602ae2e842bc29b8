#include "components/soft/page.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/soft_counts.h"
#include "base/error.h"
#include "base/fd.h"
#include "soft/count_file.h"

namespace ringside::components::soft {

using base::fail;
using ringside::soft::newest_file;

Result<OwnPage> OwnPage::map(const std::string& folder) {
    const auto path = newest_file(folder, ::getpid());
    if (!path) return path.error();
    const base::Fd fd(::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0)
        return base::fail_errno(errno, "cannot open " + *path);
    const auto bytes = static_cast<std::size_t>(info.st_size);
    void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return base::fail_errno(errno, "cannot map " + *path);
    OwnPage page(base::Mmap(memory, bytes));
    if (page.reader_.is_open()) return page;
    return fail(ErrorCode::bad_input, *path + " holds no counts of the soft PMU");
}

bool OwnPage::counts(unsigned counter) const {
    const auto* first = reader_.vcpu(0);
    return first != nullptr && (vpmu::page_detail::load(first->active) >> counter & 1) != 0;
}

Result<ThreadPlace> OwnPage::find_thread(int tid) const {
    for (unsigned i = reader_.header().thread_count; i-- > 0;) {
        const auto* thread = reader_.thread(i);
        const auto vcpu_index = vpmu::page_detail::load(thread->vcpu);
        const auto* vcpu = reader_.vcpu(vcpu_index);
        if (vcpu == nullptr) continue;  // it ended
        if (vpmu::page_detail::load(thread->id) == static_cast<std::uint32_t>(tid)) {
            return ThreadPlace{i, vcpu_index, thread, vcpu};
        }
    }
    return fail(ErrorCode::not_found,
                fmt::format("the soft PMU does not count thread {} of this process", tid),
                fmt::format("it counts the first {} threads of its own program", SOFT_THREADS));
}

bool OwnPage::read_moving_thread(const ThreadPlace& place, unsigned counter,
                                 std::uint64_t& value) const {
    const auto* vcpu = reader_.vcpu(vpmu::page_detail::load(place.thread->vcpu));
    const auto raw = [&](unsigned index) {
        return vcpu == nullptr ? 0 : vpmu::page_detail::load(vcpu->counter[index].raw);
    };
    return reader_.read_thread_count(place.index, counter, raw, value);
}

bool OwnPage::read_process(unsigned counter, std::uint64_t& value) const {
    const auto reader = fresh();
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < reader.header().vcpu_count; ++i) {
        std::uint64_t one = 0;
        if (!reader.read_raw(i, counter, one)) return false;
        sum += one;
    }
    value = sum;
    return reader.is_open();
}

}  // namespace ringside::components::soft
