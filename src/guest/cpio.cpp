#include "guest/cpio.h"

#include <array>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::guest {

namespace {

constexpr std::string_view magic = "070701";
constexpr std::string_view trailer = "TRAILER!!!";
constexpr std::size_t header_bytes = 110;

// Where each field of eight hexadecimal digits stands after the magic.
enum Field { field_mode = 1, field_size = 6, field_name_size = 11, field_count = 13 };

std::size_t padding_after(std::size_t size) {
    return (4 - size % 4) % 4;
}

Error broken(std::string_view what) {
    return base::fail(ErrorCode::bad_input, fmt::format("broken cpio archive: {}", what));
}

}  // namespace

void CpioWriter::add(const CpioEntry& entry) {
    const bool directory = S_ISDIR(entry.mode);
    bytes_ += magic;
    const std::array<std::size_t, field_count> fields{
        ++inode_, entry.mode, 0, 0, directory ? 2u : 1u,   0, entry.content.size(),
        0,        0,          0, 0, entry.name.size() + 1, 0};
    for (const auto field : fields) bytes_ += fmt::format("{:08x}", field);
    bytes_ += entry.name;
    bytes_ += '\0';
    bytes_.append(padding_after(bytes_.size()), '\0');
    bytes_ += entry.content;
    bytes_.append(padding_after(bytes_.size()), '\0');
}

void CpioWriter::add_file(std::string_view name, std::string_view content,
                          std::uint32_t permissions) {
    add({name, S_IFREG | permissions, content});
}

void CpioWriter::add_directory(std::string_view name, std::uint32_t permissions) {
    add({name, S_IFDIR | permissions, {}});
}

void CpioWriter::add_link(std::string_view name, std::string_view target) {
    add({name, S_IFLNK | 0777, target});
}

std::string CpioWriter::finish() {
    add({trailer, 0, {}});
    inode_ = 0;
    return std::exchange(bytes_, {});
}

Result<std::string_view> CpioReader::take(std::size_t count) {
    if (count > bytes_.size() - at_) return broken("it ends in the middle of an entry");
    const auto part = bytes_.substr(at_, count);
    at_ += count;
    return part;
}

void CpioReader::skip_padding() {
    at_ = std::min(bytes_.size(), at_ + padding_after(at_));
}

Result<std::optional<CpioEntry>> CpioReader::next() {
    while (at_ < bytes_.size() && bytes_[at_] == '\0') ++at_;
    auto header = take(header_bytes);
    if (!header) return header.error();
    if (!header->starts_with(magic)) return broken("an entry does not begin with 070701");
    const auto field = [&](Field index) {
        return base::parse_u64(header->substr(magic.size() + std::size_t{8} * index, 8), 16);
    };
    const auto mode = field(field_mode);
    const auto size = field(field_size);
    const auto name_size = field(field_name_size);
    if (!mode || !size || !name_size || *name_size == 0) return broken("a field is not a number");
    auto name = take(*name_size);
    if (!name) return name.error();
    skip_padding();
    auto content = take(*size);
    if (!content) return content.error();
    skip_padding();
    name->remove_suffix(1);
    if (*name == trailer) return std::optional<CpioEntry>{};
    return std::optional(CpioEntry{*name, static_cast<std::uint32_t>(*mode), *content});
}

}  // namespace ringside::guest
