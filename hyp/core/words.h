// The words of a line, and numbers among them.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside::hyp {

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

class Words {
  public:
    explicit Words(std::string_view line) : rest_(line) { skip_spaces(); }

    bool is_empty() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }
    std::string_view next() {
        std::size_t length = 0;
        while (length < rest_.size() && !is_space(rest_[length])) ++length;
        const std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        skip_spaces();
        return word;
    }
    // Takes the word if it is the next one.
    bool next_is(std::string_view word) {
        Words ahead = *this;
        if (ahead.next() != word) return false;
        *this = ahead;
        return true;
    }

  private:
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

constexpr int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

// Decimal, or hexadecimal after 0x.
inline bool parse_number(std::string_view word, std::uint64_t most, std::uint64_t& value) {
    const bool hex = word.starts_with("0x");
    if (hex) word.remove_prefix(2);
    const unsigned base = hex ? 16 : 10;
    std::uint64_t sum = 0;
    for (const char c : word) {
        const auto digit = static_cast<unsigned>(digit_of(c));
        if (digit >= base || sum > (most - digit) / base) return false;
        sum = sum * base + digit;
    }
    value = sum;
    return !word.empty();
}

}  // namespace ringside::hyp
