// The small language that metrics are written in: "(a - b) / max(c, 1)". Parsed once, evaluated
// without allocating.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::events {

// Numbers, + - * / with the usual precedence, a leading -, parentheses, min(a, b), max(a, b), and
// names of events. A name begins with a letter or _ and goes on with letters, digits and _ . : =
// and with a - that a letter or digit follows: "cache-misses", "skl::INST_RETIRED:ANY". So a minus
// between two names wants a blank after it. Any other name goes into quotes: "cpu/event=0x3c/".
class Expression {
  public:
    // Fails with bad_input and the place.
    static Result<Expression> parse(std::string_view text);
    // Nothing but this name.
    static Expression of_name(std::string name);

    // Each once, in the order of their first use.
    const std::vector<std::string>& names() const { return names_; }
    // True if it is a name and nothing else.
    bool is_name() const { return steps_.size() == 1 && steps_.front().kind == Kind::name; }

    // `values` are those of names(). Not a number where it divides by 0.
    double evaluate(std::span<const double> values) const;

    // With an expression put in for each of names(). Fails when that grows too large.
    Result<Expression> with(std::span<const Expression> parts) const;

    // "N0|N1|-|": operands, then what is done to them, Ni for the name of that index.
    std::string to_postfix() const;

    static constexpr std::size_t most_steps = 1024;

  private:
    friend class ExpressionParser;
    enum class Kind : std::uint8_t {
        number,
        name,
        add,
        subtract,
        multiply,
        divide,
        negate,
        least,
        most
    };
    // In postfix order: a number or name is put on a stack, an operation takes its operands off.
    struct Step {
        Kind kind = Kind::number;
        std::uint32_t name = 0;
        double number = 0;
    };

    Expression() = default;
    std::uint32_t index_of(std::string_view name);
    Result<Expression> checked() &&;

    std::vector<Step> steps_;
    std::vector<std::string> names_;
};

}  // namespace ringside::events
