// When two names mean the same: what sides call one event, one module and one function differently.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::compare {

// "cycles:ppp" and "cpu-clock:pppH" without the modifiers that change how it is sampled, not what.
std::string joined_event(std::string_view event);

// "soft:instructions": counted in software, in an execution after the side's first run.
bool is_soft(std::string_view event);

// In one execution besides the runs: all there is of it is with the first run.
bool counted_once(std::string_view event);

// The rules of data/compare/variants.csv, read.
class NameRules {
  public:
    static NameRules parse(std::string_view csv);
    static const NameRules& built_in();

    // "/usr/lib/libc-2.31.so" is "libc.so.6", "[guest.kernel.kallsyms]" is "[kernel]".
    std::string module(std::string_view module) const;
    // `module` as module() gives it. "__memcpy_avx_unaligned_erms" of the C library is "memcpy".
    std::string symbol(std::string_view module, std::string_view symbol) const;

  private:
    struct Rule {
        std::string module;  // how its name begins
        std::string text;
        std::string name;
    };
    bool is_variant_word(std::string_view module, std::string_view word) const;
    std::string without_variant(std::string_view module, std::string_view symbol) const;

    std::vector<Rule> modules_;
    std::vector<Rule> words_;
    std::vector<Rule> wholes_;
};

}  // namespace ringside::compare
