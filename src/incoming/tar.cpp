#include "incoming/tar.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::incoming {

namespace {

constexpr std::size_t block_bytes = 512;

// A field of the header, by where it begins and how long it is.
struct Field {
    std::size_t begin;
    std::size_t size;
};
constexpr Field name_field{0, 100};
constexpr Field size_field{124, 12};
constexpr Field sum_field{148, 8};
constexpr std::size_t type_at = 156;
constexpr Field magic_field{257, 6};
constexpr Field prefix_field{345, 155};

// POSIX ends "ustar" by NUL and knows the prefix; GNU ends it by a blank and has other things
// there.
constexpr std::string_view posix_magic{"ustar\0", 6};

Error broken_tar(std::string_view what) {
    return base::fail(ErrorCode::bad_input, fmt::format("broken tar archive: {}", what));
}

std::string_view field_of(std::string_view header, Field field) {
    return header.substr(field.begin, field.size);
}

// Up to its NUL, if there is one.
std::string text_of(std::string_view header, Field field) {
    const auto text = field_of(header, field);
    return std::string(text.substr(0, text.find('\0')));
}

// Octal digits or, where they do not suffice, GNU's big-endian number with its first bit set.
std::optional<std::uint64_t> number_of(std::string_view header, Field field) {
    const auto text = field_of(header, field);
    if ((static_cast<unsigned char>(text.front()) & 0x80u) == 0) {
        return base::parse_u64(base::trim(base::trim_end(text)), 8);
    }
    constexpr std::size_t bytes = sizeof(std::uint64_t);
    const auto low = text.substr(text.size() - bytes);
    const auto high = text.substr(1, text.size() - bytes - 1);
    if (text.front() != '\x80' || high.find_first_not_of('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    std::uint64_t number = 0;
    for (const char c : low) number = number << 8 | static_cast<unsigned char>(c);
    return number;
}

// All bytes, those of the sum itself taken as blanks.
std::uint64_t sum_of(std::string_view header) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool of_sum = i >= sum_field.begin && i < sum_field.begin + sum_field.size;
        sum += of_sum ? ' ' : static_cast<unsigned char>(header[i]);
    }
    return sum;
}

// Nothing else is made of what somebody else sent, and need not be told apart.
std::uint32_t mode_of(char type) {
    if (type == '0' || type == '\0') return S_IFREG;
    return type == '5' ? S_IFDIR : 0;
}

}  // namespace

Result<std::string_view> TarReader::take(std::uint64_t count) {
    if (count > bytes_.size() - at_) return broken_tar("it ends in the middle of an entry");
    const auto part = bytes_.substr(at_, count);
    at_ += count;
    at_ = std::min(bytes_.size(), at_ + (block_bytes - at_ % block_bytes) % block_bytes);
    return part;
}

// "LENGTH KEY=VALUE\n" again and again, the length that of all of it.
Result<void> TarReader::read_records(std::string_view records) {
    while (!records.empty()) {
        const auto blank = records.find(' ');
        const auto length = blank == std::string_view::npos
                                ? std::nullopt
                                : base::parse_u64(records.substr(0, blank));
        if (!length || *length > records.size() || *length < blank + 2) {
            return broken_tar("a pax record without a length");
        }
        const auto record = records.substr(blank + 1, *length - blank - 2);
        const auto equals = record.find('=');
        const auto key = record.substr(0, equals);
        const auto value = equals == std::string_view::npos ? "" : record.substr(equals + 1);
        if (key == "path") long_name_ = value;
        if (key == "size") long_size_ = base::parse_u64(value);
        if (key == "size" && !long_size_) return broken_tar("a pax size that is no number");
        sparse_ = sparse_ || key.starts_with("GNU.sparse.");
        records.remove_prefix(*length);
    }
    return {};
}

Result<TarReader::Header> TarReader::header_of(std::string_view block) {
    const auto sum = number_of(block, sum_field);
    if (!sum || *sum != sum_of(block)) return broken_tar("the sum of a header is wrong");
    Header header;
    header.type = block[type_at];
    const auto size = number_of(block, size_field);
    if (!size) return broken_tar("a size is no number");
    header.size = *size;
    header.name = text_of(block, name_field);
    const auto prefix = text_of(block, prefix_field);
    if (field_of(block, magic_field) == posix_magic && !prefix.empty()) {
        header.name = prefix + '/' + header.name;
    }
    return header;
}

// What headers before this one said of it is used up.
Entry TarReader::entry_of(const Header& header, std::string_view content) {
    Entry entry;
    entry.name = long_name_.empty() ? header.name : std::exchange(long_name_, {});
    entry.content = content;
    entry.mode = sparse_ ? 0 : mode_of(header.type);
    if (S_ISDIR(entry.mode) && entry.name.ends_with('/')) entry.name.pop_back();
    long_size_.reset();
    sparse_ = false;
    return entry;
}

Result<std::optional<Entry>> TarReader::next() {
    while (true) {
        const auto block = take(block_bytes);
        if (!block) return block.error();
        if (block->find_first_not_of('\0') == std::string_view::npos) return std::optional<Entry>{};
        const auto header = header_of(*block);
        if (!header) return header.error();
        const bool of_next = header->type == 'L' || header->type == 'K' || header->type == 'x' ||
                             header->type == 'g';
        const auto content = take(of_next ? header->size : long_size_.value_or(header->size));
        if (!content) return content.error();
        if (!of_next) return std::optional(entry_of(*header, *content));
        if (header->type == 'L') long_name_ = content->substr(0, content->find('\0'));
        if (header->type != 'x') continue;
        if (auto read = read_records(*content); !read) return read.error();
    }
}

}  // namespace ringside::incoming
