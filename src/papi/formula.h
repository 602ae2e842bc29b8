// How the values of native events make up the value of a preset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::papi {

struct Formula {
    std::vector<int> terms;  // codes of native events
    // "N0|N1|+|": terms, numbers and operators in reverse Polish order, as PAPI writes them. Empty
    // where the value is that of the only term.
    std::string postfix;

    bool derived() const { return !postfix.empty(); }
};

// `values` are those of the terms. 0 where it divides by 0 or cannot be understood.
std::int64_t evaluate(std::string_view postfix, std::span<const std::int64_t> values);

// PAPI's word for it: NOT_DERIVED, DERIVED_ADD, DERIVED_SUB or DERIVED_POSTFIX.
std::string_view kind_of(std::string_view postfix, std::size_t terms);

}  // namespace ringside::papi
