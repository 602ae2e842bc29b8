#include "soft/count_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::soft {

namespace {

using base::fail;

constexpr std::uint64_t most_page_bytes = 16u << 20;
constexpr std::uint64_t most_entries = std::uint64_t{1} << 22;  // of a table

Error not_a_file(const std::string& path) {
    return fail(ErrorCode::bad_input, path + " holds no counts of the soft PMU");
}

Result<base::Fd> open_file(const std::string& path) {
    base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return base::fail_errno(errno, "cannot open " + path);
    return fd;
}

bool read_at(int fd, std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        const auto got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return true;
}

template <typename T>
bool read_object(int fd, std::uint64_t offset, T& object) {
    return read_at(fd, offset, std::as_writable_bytes(std::span(&object, 1)));
}

}  // namespace

Result<CountFile> CountFile::read(const std::string& path) {
    const auto fd = open_file(path);
    if (!fd) return fd.error();
    struct stat info {};
    if (::fstat(fd->get(), &info) != 0) return base::fail_errno(errno, "cannot read " + path);
    vpmu_page_header header{};
    if (!S_ISREG(info.st_mode) || !read_object(fd->get(), 0, header)) return not_a_file(path);
    const bool sane = header.magic == VPMU_PAGE_MAGIC && header.bytes >= sizeof header &&
                      header.bytes <= most_page_bytes;
    if (!sane) return not_a_file(path);
    std::vector<std::uint64_t> page((header.bytes + 7) / 8);
    const auto bytes = std::as_writable_bytes(std::span(page)).first(header.bytes);
    soft_extension extension{};
    const std::uint64_t behind = (std::uint64_t{header.bytes} + 63) & ~std::uint64_t{63};
    const bool whole = read_at(fd->get(), 0, bytes) && read_object(fd->get(), behind, extension);
    if (!whole || extension.magic != SOFT_MAGIC || extension.version != SOFT_VERSION) {
        return not_a_file(path);
    }
    CountFile file(path, static_cast<std::uint64_t>(info.st_size), std::move(page), behind,
                   extension);
    if (!file.page().is_open()) return not_a_file(path);
    return file;
}

std::string CountFile::text(const char (&field)[SOFT_NAME_BYTES]) {
    return {field, ::strnlen(field, sizeof field)};
}

Result<void> CountFile::write_at(std::uint64_t offset, const void* bytes, std::size_t count) const {
    const base::Fd fd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return base::fail_errno(errno, "cannot write to " + path_);
    if (::pwrite(fd.get(), bytes, count, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(count)) {
        return base::fail_errno(errno, "cannot write to " + path_);
    }
    return {};
}

Result<void> CountFile::ask_switch(bool off) const {
    const std::uint32_t wanted = off ? 1 : 0;
    return write_at(extension_at_ + offsetof(soft_extension, wanted_off), &wanted, sizeof wanted);
}

Result<void> CountFile::write_profile(std::size_t offset, const void* bytes,
                                      std::size_t count) const {
    const auto at = extension_.profile_offset;
    const bool fits = at <= file_bytes_ && sizeof(soft_profile) <= file_bytes_ - at;
    if (!has_profile() || !fits) {
        return fail(ErrorCode::unsupported, path_ + " is of a machine that is not profiled");
    }
    return write_at(at + offset, bytes, count);
}

Result<void> CountFile::introduce(const soft_kernel& kernel) const {
    return write_profile(offsetof(soft_profile, kernel), &kernel, sizeof kernel);
}

Result<void> CountFile::stop_profile() const {
    constexpr std::uint64_t stopped = 1;
    return write_profile(offsetof(soft_profile, stopped), &stopped, sizeof stopped);
}

bool CountFile::counts(unsigned counter) const {
    const auto reader = page();
    const auto* first = reader.vcpu(0);
    return first != nullptr && counter < SOFT_COUNTERS && (first->active >> counter & 1) != 0;
}

std::vector<std::uint64_t> CountFile::of_vcpus(unsigned counter) const {
    const auto reader = page();
    std::vector<std::uint64_t> counts(reader.header().vcpu_count);
    for (unsigned i = 0; i < counts.size(); ++i) {
        if (!reader.read_raw(i, counter, counts[i])) counts[i] = 0;
    }
    return counts;
}

std::uint64_t CountFile::total(unsigned counter) const {
    const auto counts = of_vcpus(counter);
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<CountFile::Device> CountFile::devices() const {
    std::vector<Device> devices;
    const auto count = std::min<std::uint64_t>(extension_.device_count, SOFT_DEVICES);
    for (std::uint64_t i = 0; i < count; ++i) {
        const soft_device& one = extension_.device[i];
        devices.push_back(
            {std::string(one.name, ::strnlen(one.name, sizeof one.name)), one.reads, one.writes});
    }
    return devices;
}

template <typename T>
Result<std::vector<T>> CountFile::read_table(std::uint64_t offset, std::uint64_t count) const {
    if (count == 0) return std::vector<T>();
    const bool fits =
        count <= most_entries && offset <= file_bytes_ && count * sizeof(T) <= file_bytes_ - offset;
    if (!fits) return not_a_file(path_);
    const auto fd = open_file(path_);
    if (!fd) return fd.error();
    std::vector<T> table(count);
    if (!read_at(fd->get(), offset, std::as_writable_bytes(std::span(table)))) {
        return not_a_file(path_);
    }
    return table;
}

Result<std::vector<soft_hot_block>> CountFile::hot_blocks() const {
    return read_table<soft_hot_block>(extension_.hot_offset,
                                      std::min(extension_.hot_count, extension_.hot_capacity));
}

Result<std::vector<vpmu_page_sample>> CountFile::samples() const {
    return read_table<vpmu_page_sample>(
        extension_.sample_offset, std::min(extension_.sample_count, extension_.sample_capacity));
}

std::uint64_t CountFile::lost_samples() const {
    return extension_.sample_count - std::min(extension_.sample_count, extension_.sample_capacity);
}

Result<GuestProfile> CountFile::profile() const {
    if (!has_profile()) {
        return fail(ErrorCode::unsupported, path_ + " is of a machine that was not profiled");
    }
    auto head = read_table<soft_profile>(extension_.profile_offset, 1);
    if (!head) return head.error();
    GuestProfile profile;
    profile.head = head->front();
    const auto count = std::min<std::uint64_t>(profile.head.sample_count, SOFT_PROFILE_SAMPLES);
    profile.lost_samples = profile.head.sample_count - count;
    auto samples = read_table<soft_guest_sample>(profile.head.sample_offset, count);
    if (!samples) return samples.error();
    auto maps =
        read_table<soft_map>(profile.head.map_offset,
                             std::min<std::uint64_t>(profile.head.map_count, SOFT_PROFILE_MAPS));
    if (!maps) return maps.error();
    auto exits =
        read_table<soft_exit>(profile.head.exit_offset,
                              std::min<std::uint64_t>(profile.head.exit_count, SOFT_PROFILE_EXITS));
    if (!exits) return exits.error();
    profile.samples = std::move(*samples);
    profile.maps = std::move(*maps);
    profile.exits = std::move(*exits);
    // Texts end within their fields, and a sample that was being written when QEMU ended is none.
    for (auto& map : profile.maps) map.path[sizeof map.path - 1] = 0;
    for (auto& sample : profile.samples) {
        sample.comm[sizeof sample.comm - 1] = 0;
        if (sample.map >= profile.maps.size()) sample.map = SOFT_NO_MAP;
    }
    std::erase_if(profile.samples, [](const soft_guest_sample& sample) {
        return sample.time_ns == 0 || sample.amount == 0;
    });
    return profile;
}

Result<std::string> newest_file(const std::string& folder, int pid) {
    const auto names = base::SysRoot().list(folder);
    if (!names) return names.error();
    const std::string prefix = fmt::format("{}-", pid);
    std::optional<std::uint64_t> newest;
    for (const auto& name : *names) {
        if (!name.starts_with(prefix) || !name.ends_with(SOFT_FILE_SUFFIX)) continue;
        const auto number = base::parse_u64(
            std::string_view(name).substr(prefix.size(), name.rfind('.') - prefix.size()));
        if (number) newest = std::max(newest.value_or(0), *number);
    }
    if (!newest) {
        return fail(ErrorCode::not_found,
                    fmt::format("the soft PMU does not count process {}", pid));
    }
    return fmt::format("{}/{}{}" SOFT_FILE_SUFFIX, folder, prefix, *newest);
}

}  // namespace ringside::soft
