#include "papi/formula.h"

#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace ringside::papi {

namespace {

constexpr std::size_t most_operands = 32;

// Without allocation: it works while a signal handler runs.
class Stack {
  public:
    void push(double value) {
        if (size_ < values_.size()) values_[size_++] = value;
    }
    double pop() { return size_ == 0 ? 0.0 : values_[--size_]; }

  private:
    std::array<double, most_operands> values_{};
    std::size_t size_ = 0;
};

double apply(char sign, double left, double right) {
    switch (sign) {
        case '+':
            return left + right;
        case '-':
            return left - right;
        case '*':
            return left * right;
        default:
            return right == 0.0 ? 0.0 : left / right;
    }
}

bool is_operator(std::string_view token) {
    return token.size() == 1 && std::string_view("+-*/").find(token[0]) != std::string_view::npos;
}

double number(std::string_view token) {
    const auto dot = token.find('.');
    const auto whole = base::parse_u64(token.substr(0, dot)).value_or(0);
    if (dot == std::string_view::npos) return static_cast<double>(whole);
    const auto fraction = token.substr(dot + 1);
    const auto digits = static_cast<double>(base::parse_u64(fraction).value_or(0));
    return static_cast<double>(whole) + digits / std::pow(10.0, static_cast<double>(fraction.size()));
}

// What lies before the next '|', which is then behind.
std::string_view next_token(std::string_view& text) {
    const auto end = text.find('|');
    const auto token = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return token;
}

// N0|N1|sign|N2|sign|...: a plain sum or difference.
bool is_chain(std::string_view postfix, std::size_t terms, char sign) {
    std::size_t signs = 0;
    while (!postfix.empty()) {
        const auto token = next_token(postfix);
        if (token.starts_with('N')) continue;
        if (token.size() != 1 || token[0] != sign) return false;
        ++signs;
    }
    return signs + 1 == terms;
}

}  // namespace

std::int64_t evaluate(std::string_view postfix, std::span<const std::int64_t> values) {
    Stack stack;
    while (!postfix.empty()) {
        const auto token = next_token(postfix);
        if (token.empty()) continue;
        if (is_operator(token)) {
            const double right = stack.pop();
            const double left = stack.pop();
            stack.push(apply(token[0], left, right));
        } else if (token[0] == 'N') {
            const auto index = base::parse_u64(token.substr(1)).value_or(values.size());
            stack.push(index < values.size() ? static_cast<double>(values[index]) : 0.0);
        } else {
            stack.push(number(token));
        }
    }
    return static_cast<std::int64_t>(std::llround(stack.pop()));
}

std::string_view kind_of(std::string_view postfix, std::size_t terms) {
    if (postfix.empty()) return "NOT_DERIVED";
    if (is_chain(postfix, terms, '+')) return "DERIVED_ADD";
    if (is_chain(postfix, terms, '-')) return "DERIVED_SUB";
    return "DERIVED_POSTFIX";
}

}  // namespace ringside::papi
