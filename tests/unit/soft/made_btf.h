// Type information as a kernel has it, made by hand for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ringside::soft {

class MadeBtf {
  public:
    struct Member {
        std::string name;
        std::uint32_t type = 0;
        std::uint32_t bit_offset = 0;
    };

    std::uint32_t add_int(const std::string& name) { return add(name, 1, 0, 4, {32}); }
    std::uint32_t add_const(std::uint32_t type) { return add("", 10, 0, type, {}); }
    std::uint32_t add_struct(const std::string& name, const std::vector<Member>& members,
                             bool bit_fields = false, std::uint32_t kind = 4) {
        std::vector<std::uint32_t> words;
        for (const auto& member : members) {
            words.insert(words.end(), {text(member.name), member.type, member.bit_offset});
        }
        const auto count = static_cast<std::uint32_t>(members.size());
        return add(name, kind, count | (bit_fields ? 1u << 31 : 0), 64, words);
    }
    std::uint32_t add_union(const std::vector<Member>& members) {
        return add_struct("", members, false, 5);
    }
    std::uint32_t add(const std::string& name, std::uint32_t kind, std::uint32_t info,
                      std::uint32_t size_or_type, const std::vector<std::uint32_t>& tail) {
        types_.insert(types_.end(), {text(name), kind << 24 | info, size_or_type});
        types_.insert(types_.end(), tail.begin(), tail.end());
        return ++count_;
    }

    std::string bytes() const {
        const auto type_bytes = static_cast<std::uint32_t>(types_.size() * 4);
        const std::uint32_t header[] = {
            0x0001eb9f, 24, 0, type_bytes, type_bytes, static_cast<std::uint32_t>(strings_.size())};
        std::string all(reinterpret_cast<const char*>(header), sizeof header);
        all.append(reinterpret_cast<const char*>(types_.data()), type_bytes);
        return all + strings_;
    }

  private:
    std::uint32_t text(const std::string& name) {
        if (name.empty()) return 0;
        const auto at = static_cast<std::uint32_t>(strings_.size());
        strings_ += name + '\0';
        return at;
    }
    std::vector<std::uint32_t> types_;
    std::string strings_ = std::string(1, '\0');
    std::uint32_t count_ = 0;
};

}  // namespace ringside::soft
