// Where the members of a kernel's structs lie, by the type information that it carries itself (BTF,
// /sys/kernel/btf/vmlinux). It is input: every length is checked. Format: the kernel's
// Documentation/bpf/btf.rst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::soft {

class Btf {
  public:
    // Keeps what it needs of `bytes`.
    static Result<Btf> parse(std::string bytes);

    // In bytes, from the begin of `structure`; "f_path.dentry" is a member of a member. Members of
    // unnamed structs and unions count as the outer one's. Nothing for bit fields.
    std::optional<std::uint32_t> offset(std::string_view structure, std::string_view member) const;

  private:
    struct Member {
        std::uint32_t type = 0;
        std::uint32_t bit_offset = 0;
    };
    std::uint32_t word(std::size_t at) const;
    std::string_view name(std::uint32_t offset) const;
    std::uint32_t kind(std::uint32_t type) const;
    std::uint32_t without_qualifiers(std::uint32_t type) const;
    std::optional<Member> find_member(std::uint32_t type, std::string_view wanted, int depth,
                                      std::size_t& steps_left) const;

    std::string bytes_;
    std::size_t strings_at_ = 0;
    std::size_t strings_bytes_ = 0;
    std::vector<std::uint32_t> types_;  // where each is in bytes_; the first is void
    std::map<std::string, std::uint32_t, std::less<>> structs_;
};

}  // namespace ringside::soft
