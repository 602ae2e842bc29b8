#include "incoming/cpio.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::incoming {

namespace {

constexpr std::string_view magic = "070701";
constexpr std::string_view trailer = "TRAILER!!!";
constexpr std::size_t header_bytes = 110;

// Where each field of eight hexadecimal digits stands after the magic.
enum Word { field_mode = 1, field_size = 6, field_name_size = 11 };

Error broken_cpio(std::string_view what) {
    return base::fail(ErrorCode::bad_input, fmt::format("broken cpio archive: {}", what));
}

}  // namespace

Result<std::string_view> CpioReader::take(std::size_t count) {
    if (count > bytes_.size() - at_) return broken_cpio("it ends in the middle of an entry");
    const auto part = bytes_.substr(at_, count);
    at_ += count;
    return part;
}

void CpioReader::skip_padding() {
    at_ = std::min(bytes_.size(), at_ + (4 - at_ % 4) % 4);
}

Result<std::optional<Entry>> CpioReader::next() {
    while (at_ < bytes_.size() && bytes_[at_] == '\0') ++at_;
    auto header = take(header_bytes);
    if (!header) return header.error();
    if (!header->starts_with(magic)) return broken_cpio("an entry does not begin with 070701");
    const auto field = [&](Word index) {
        return base::parse_u64(header->substr(magic.size() + std::size_t{8} * index, 8), 16);
    };
    const auto mode = field(field_mode);
    const auto size = field(field_size);
    const auto name_size = field(field_name_size);
    if (!mode || !size || !name_size || *name_size == 0)
        return broken_cpio("a field is not a number");
    auto name = take(*name_size);
    if (!name) return name.error();
    skip_padding();
    auto content = take(*size);
    if (!content) return content.error();
    skip_padding();
    if (name->back() != '\0') return broken_cpio("a name does not end");
    name->remove_suffix(1);
    if (*name == trailer) return std::optional<Entry>{};
    return std::optional(Entry{std::string(*name), static_cast<std::uint32_t>(*mode), *content});
}

}  // namespace ringside::incoming
