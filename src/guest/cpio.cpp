#include "guest/cpio.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace ringside::guest {

namespace {

constexpr std::string_view magic = "070701";
constexpr std::string_view trailer = "TRAILER!!!";

// Of eight hexadecimal digits each, after the magic.
constexpr std::size_t field_count = 13;

std::size_t padding_after(std::size_t size) {
    return (4 - size % 4) % 4;
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

std::string CpioWriter::finish() {
    add({trailer, 0, {}});
    inode_ = 0;
    return std::exchange(bytes_, {});
}

}  // namespace ringside::guest
