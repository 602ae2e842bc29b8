#include "compare/names.h"

#include <algorithm>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"
#include "run/run.h"

namespace ringside::compare {

std::string joined_event(std::string_view event) {
    const auto colon = event.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == event.size()) return std::string(event);
    const auto modifiers = event.substr(colon + 1);
    const auto is_modifier = [](char c) {
        return std::string_view("ukhGHpPSDW").find(c) != std::string_view::npos;
    };
    // "sched:sched_switch" has none.
    if (!std::all_of(modifiers.begin(), modifiers.end(), is_modifier)) return std::string(event);
    std::string kept;
    for (const char c : modifiers) {
        if (c != 'p' && c != 'P' && c != 'H') kept += c;
    }
    std::string joined(event.substr(0, colon));
    return kept.empty() ? joined : joined + ":" + kept;
}

bool is_soft(std::string_view event) {
    return event.starts_with("soft:");
}

bool counted_once(std::string_view event) {
    return is_soft(event) || event == run::exits_event || event == run::exit_time_event;
}

NameRules NameRules::parse(std::string_view csv) {
    NameRules rules;
    for (const auto& row : base::parse_csv(csv)) {
        if (row.size() != 4) continue;
        auto* list = row[0] == "module"  ? &rules.modules_
                     : row[0] == "word"  ? &rules.words_
                     : row[0] == "whole" ? &rules.wholes_
                                         : nullptr;
        if (list != nullptr) list->push_back({row[1], row[2], row[3]});
    }
    return rules;
}

const NameRules& NameRules::built_in() {
    static const NameRules rules = [] {
        const auto table = base::embedded_file("compare/variants.csv");
        RINGSIDE_ASSERT(table.has_value());
        return parse(*table);
    }();
    return rules;
}

std::string NameRules::module(std::string_view module) const {
    // "[anon]" and "//anon" are no paths.
    if (module.starts_with('/') && !module.starts_with("//")) {
        module = module.substr(module.rfind('/') + 1);
    }
    for (const Rule& rule : modules_) {
        if (module.starts_with(rule.module)) return rule.name;
    }
    return std::string(module);
}

bool NameRules::is_variant_word(std::string_view module, std::string_view word) const {
    return std::any_of(words_.begin(), words_.end(), [&](const Rule& rule) {
        return module.starts_with(rule.module) && rule.text == word;
    });
}

// Cuts the longest tail of words that say for which processor it is. A number belongs to the word
// before it ("sse4_2") or to the name.
std::string NameRules::without_variant(std::string_view module, std::string_view symbol) const {
    auto end = symbol.size();
    auto at = end;
    while (at > 0) {
        const auto bar = symbol.rfind('_', at - 1);
        if (bar == std::string_view::npos || bar == 0) break;
        const auto word = symbol.substr(bar + 1, at - bar - 1);
        if (!is_variant_word(module, word)) break;
        at = bar;
        if (!base::parse_u64(word)) end = bar;
    }
    if (end == symbol.size()) return std::string(symbol);
    auto plain = symbol.substr(0, end);
    while (plain.size() > 1 && plain.front() == '_') plain.remove_prefix(1);
    return std::string(plain);
}

std::string NameRules::symbol(std::string_view module, std::string_view symbol) const {
    std::string name = without_variant(module, symbol);
    for (const Rule& rule : wholes_) {
        if (module.starts_with(rule.module) && rule.text == name) return rule.name;
    }
    return name;
}

}  // namespace ringside::compare
