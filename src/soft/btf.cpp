#include "soft/btf.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace ringside::soft {

namespace {

// Documentation/bpf/btf.rst, section 2.
constexpr std::uint16_t magic_number = 0xeb9f;
constexpr std::size_t least_header_bytes = 24;
constexpr std::size_t type_bytes = 12;
constexpr std::size_t member_bytes = 12;
enum Kind : std::uint32_t {
    kind_int = 1,
    kind_array = 3,
    kind_struct = 4,
    kind_union = 5,
    kind_enum = 6,
    kind_typedef = 8,
    kind_volatile = 9,
    kind_const = 10,
    kind_restrict = 11,
    kind_function_type = 13,
    kind_variable = 14,
    kind_section = 15,
    kind_tag = 17,
    kind_type_tag = 18,
    kind_enum_64 = 19,
};

// How much follows the first words of a type; nothing for a kind that nobody knows.
std::optional<std::size_t> tail_bytes(std::uint32_t kind, std::uint32_t entries) {
    switch (kind) {
        case kind_int:
        case kind_variable:
        case kind_tag:
            return 4;
        case kind_array:
            return 12;
        case kind_struct:
        case kind_union:
        case kind_section:
        case kind_enum_64:
            return std::size_t{entries} * 12;
        case kind_enum:
        case kind_function_type:
            return std::size_t{entries} * 8;
        default:
            return kind >= 1 && kind <= kind_enum_64 ? std::optional<std::size_t>(0) : std::nullopt;
    }
}

Error not_btf() {
    return base::fail(ErrorCode::bad_input, "this is no type information of a kernel (BTF)");
}

}  // namespace

std::uint32_t Btf::word(std::size_t at) const {
    std::uint32_t value = 0;
    if (at <= bytes_.size() && bytes_.size() - at >= sizeof value) {
        std::memcpy(&value, bytes_.data() + at, sizeof value);
    }
    return value;
}

std::string_view Btf::name(std::uint32_t offset) const {
    if (offset >= strings_bytes_) return {};
    const char* text = bytes_.data() + strings_at_ + offset;
    // The kernel's own limit; all names together may not be longer than what is there.
    constexpr std::size_t longest_name = 512;
    const std::size_t most = std::min<std::size_t>(strings_bytes_ - offset, longest_name);
    const std::size_t size = ::strnlen(text, most);
    return size < most ? std::string_view(text, size) : std::string_view();
}

std::uint32_t Btf::kind(std::uint32_t type) const {
    return type == 0 || type >= types_.size() ? 0 : word(types_[type] + 4) >> 24 & 31;
}

Result<Btf> Btf::parse(std::string bytes) {
    Btf btf;
    btf.bytes_ = std::move(bytes);
    const std::uint64_t header_bytes = btf.word(4);
    const std::uint64_t types_at = header_bytes + btf.word(8);
    const std::uint64_t types_end = types_at + btf.word(12);
    btf.strings_at_ = header_bytes + btf.word(16);
    btf.strings_bytes_ = btf.word(20);
    const bool sane = btf.bytes_.size() >= least_header_bytes &&
                      header_bytes >= least_header_bytes &&
                      (btf.word(0) & 0xffff) == magic_number && types_end <= btf.bytes_.size() &&
                      btf.strings_at_ + btf.strings_bytes_ <= btf.bytes_.size();
    if (!sane) return not_btf();
    btf.types_.push_back(0);
    for (std::uint64_t at = types_at; at < types_end;) {
        const std::uint32_t info = btf.word(at + 4);
        const auto tail = tail_bytes(info >> 24 & 31, info & 0xffff);
        if (!tail || types_end - at < type_bytes + *tail) return not_btf();
        btf.types_.push_back(static_cast<std::uint32_t>(at));
        at += type_bytes + *tail;
    }
    for (std::uint32_t i = 1; i < btf.types_.size(); ++i) {
        if (btf.kind(i) != kind_struct) continue;
        const auto found = btf.name(btf.word(btf.types_[i]));
        if (!found.empty()) btf.structs_.emplace(found, i);
    }
    return btf;
}

std::uint32_t Btf::without_qualifiers(std::uint32_t type) const {
    constexpr int most = 16;
    for (int i = 0; i < most; ++i) {
        const auto what = kind(type);
        const bool qualifies = what == kind_typedef || what == kind_volatile ||
                               what == kind_const || what == kind_restrict || what == kind_type_tag;
        if (!qualifies) return type;
        type = word(types_[type] + 8);
    }
    return 0;
}

std::optional<Btf::Member> Btf::find_member(std::uint32_t type, std::string_view wanted, int depth,
                                            std::size_t& steps_left) const {
    constexpr int deepest = 8;
    const auto what = kind(type);
    if (depth > deepest || (what != kind_struct && what != kind_union)) return std::nullopt;
    const std::uint32_t info = word(types_[type] + 4);
    const bool has_fields = info >> 31 != 0;  // of bits: then their widths are in the upper byte
    for (std::uint32_t i = 0; i < (info & 0xffff) && steps_left > 0; ++i, --steps_left) {
        const std::size_t at = types_[type] + type_bytes + i * member_bytes;
        const std::uint32_t place = word(at + 8);
        const Member member{without_qualifiers(word(at + 4)),
                            has_fields ? place & 0xffffff : place};
        const auto called = name(word(at));
        if (called == wanted && !called.empty()) {
            return has_fields && place >> 24 != 0 ? std::nullopt : std::optional(member);
        }
        if (!called.empty()) continue;
        if (const auto inner = find_member(member.type, wanted, depth + 1, steps_left)) {
            return Member{inner->type, member.bit_offset + inner->bit_offset};
        }
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Btf::offset(std::string_view structure,
                                         std::string_view member) const {
    const auto found = structs_.find(structure);
    if (found == structs_.end()) return std::nullopt;
    std::uint32_t type = found->second;
    std::uint32_t bits = 0;
    // Unnamed members may lead into each other; those of a kernel's structures are some hundreds.
    std::size_t steps_left = 100'000;
    for (const auto part : base::split(member, '.')) {
        const auto next = find_member(type, part, 0, steps_left);
        if (!next) return std::nullopt;
        type = next->type;
        bits += next->bit_offset;
    }
    return bits / 8;
}

}  // namespace ringside::soft
