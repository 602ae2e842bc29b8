#include "events/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace ringside::events {

namespace {

constexpr std::size_t most_depth = 64;  // of the stack that evaluation needs

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

// Recursive descent; what is understood is appended to the expression's steps.
class ExpressionParser {
  public:
    explicit ExpressionParser(std::string_view text) : text_(text) {}

    Result<Expression> parse() {
        if (!sum() || !at_end()) {
            return base::fail(ErrorCode::bad_input, "cannot understand \"" + std::string(text_) +
                                                        "\" from its character " +
                                                        std::to_string(at_ + 1) + " on");
        }
        return std::move(expression_).checked();
    }

  private:
    using Kind = Expression::Kind;

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    bool at_end() {
        skip_blanks();
        return at_ == text_.size();
    }
    bool take(char wanted) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool emit(Kind kind) {
        expression_.steps_.push_back({kind, 0, 0});
        return expression_.steps_.size() <= Expression::most_steps;
    }

    bool sum() {
        if (++depth_ > most_depth || !product()) return false;
        while (true) {
            if (take('+')) {
                if (!product() || !emit(Kind::add)) return false;
            } else if (take('-')) {
                if (!product() || !emit(Kind::subtract)) return false;
            } else {
                --depth_;
                return true;
            }
        }
    }
    bool product() {
        if (!factor()) return false;
        while (true) {
            if (take('*')) {
                if (!factor() || !emit(Kind::multiply)) return false;
            } else if (take('/')) {
                if (!factor() || !emit(Kind::divide)) return false;
            } else {
                return true;
            }
        }
    }
    bool factor() {
        bool negative = false;
        while (take('-')) negative = !negative;
        if (!primary()) return false;
        return !negative || emit(Kind::negate);
    }
    bool primary() {
        if (take('(')) return sum() && take(')');
        if (take('"')) return quoted();
        skip_blanks();
        if (at_ >= text_.size()) return false;
        if (is_letter(text_[at_])) return name_or_function();
        return number();
    }
    bool quoted() {
        const auto end = text_.find('"', at_);
        if (end == std::string_view::npos || end == at_) return false;
        const auto name = text_.substr(at_, end - at_);
        at_ = end + 1;
        return emit_name(name);
    }
    bool name_or_function() {
        const auto name = take_name();
        if (name != "min" && name != "max") return emit_name(name);
        return take('(') && sum() && take(',') && sum() && take(')') &&
               emit(name == "min" ? Kind::least : Kind::most);
    }
    bool goes_on(std::size_t at) const {
        const char c = text_[at];
        if (c == '-')
            return at + 1 < text_.size() && (is_letter(text_[at + 1]) || is_digit(text_[at + 1]));
        return is_letter(c) || is_digit(c) || c == '.' || c == ':' || c == '=';
    }
    std::string_view take_name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && goes_on(at_)) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    bool emit_name(std::string_view name) {
        expression_.steps_.push_back({Kind::name, expression_.index_of(name), 0});
        return expression_.steps_.size() <= Expression::most_steps;
    }
    bool number() {
        double value = 0;
        const char* begin = text_.data() + at_;
        if (!is_digit(*begin) && *begin != '.') return false;  // from_chars knows "inf"
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc()) return false;
        at_ += static_cast<std::size_t>(end - begin);
        expression_.steps_.push_back({Kind::number, 0, value});
        return expression_.steps_.size() <= Expression::most_steps;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text) {
    return ExpressionParser(text).parse();
}

Expression Expression::of_name(std::string name) {
    Expression expression;
    expression.names_.push_back(std::move(name));
    expression.steps_.push_back({Kind::name, 0, 0});
    return expression;
}

std::uint32_t Expression::index_of(std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto index = static_cast<std::uint32_t>(found - names_.begin());
    if (found == names_.end()) names_.emplace_back(name);
    return index;
}

// That evaluation has room on its stack.
Result<Expression> Expression::checked() && {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    for (const auto& step : steps_) {
        if (step.kind <= Kind::name) {
            deepest = std::max(deepest, ++depth);
        } else if (step.kind != Kind::negate) {
            --depth;
        }
    }
    if (deepest > most_depth || steps_.size() > most_steps) {
        return base::fail(ErrorCode::bad_input, "the expression is too large");
    }
    return std::move(*this);
}

double Expression::evaluate(std::span<const double> values) const {
    std::array<double, most_depth> stack;
    std::size_t top = 0;
    for (const auto& step : steps_) {
        if (step.kind <= Kind::name) {
            stack[top++] = step.kind == Kind::number ? step.number : values[step.name];
            continue;
        }
        double& last = stack[top - 1];
        if (step.kind == Kind::negate) {
            last = -last;
            continue;
        }
        double& first = stack[top - 2];
        switch (step.kind) {
            case Kind::add:
                first += last;
                break;
            case Kind::subtract:
                first -= last;
                break;
            case Kind::multiply:
                first *= last;
                break;
            case Kind::divide:
                first = last == 0 ? std::numeric_limits<double>::quiet_NaN() : first / last;
                break;
            case Kind::least:
                first = std::fmin(first, last);
                break;
            default:
                first = std::fmax(first, last);
                break;
        }
        --top;
    }
    return stack[0];
}

std::string Expression::to_postfix() const {
    // In the order of Kind, from its first operation on.
    constexpr std::array operations = {"+", "-", "*", "/", "neg", "min", "max"};
    std::string text;
    for (const auto& step : steps_) {
        if (step.kind == Kind::name) {
            text += "N" + std::to_string(step.name);
        } else if (step.kind == Kind::number) {
            std::array<char, 32> digits{};
            const auto end =
                std::to_chars(digits.data(), digits.data() + digits.size(), step.number).ptr;
            text.append(digits.data(), end);
        } else {
            text += operations[static_cast<std::size_t>(step.kind) -
                               static_cast<std::size_t>(Kind::add)];
        }
        text += '|';
    }
    return text;
}

Result<Expression> Expression::with(std::span<const Expression> parts) const {
    Expression whole;
    for (const auto& step : steps_) {
        if (step.kind != Kind::name) {
            whole.steps_.push_back(step);
            continue;
        }
        const Expression& part = parts[step.name];
        for (Step inner : part.steps_) {
            if (inner.kind == Kind::name) inner.name = whole.index_of(part.names_[inner.name]);
            whole.steps_.push_back(inner);
        }
        if (whole.steps_.size() > most_steps) break;
    }
    return std::move(whole).checked();
}

}  // namespace ringside::events
