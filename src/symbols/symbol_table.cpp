#include "symbols/symbol_table.h"

#include <algorithm>

namespace ringside::symbols {

namespace {

constexpr std::uint64_t page_bytes = 4096;

std::size_t leading_underscores(std::string_view name) {
    const auto first = name.find_first_not_of('_');
    return first == std::string_view::npos ? name.size() : first;
}

}  // namespace

void SymbolTable::add(std::uint64_t start, std::uint64_t size, std::string_view name,
                      SymbolRank rank) {
    const std::uint64_t end = start + size < start ? start : start + size;
    rank.sized = end != start;
    symbols_.push_back({start, end, static_cast<std::uint32_t>(names_.size()),
                        static_cast<std::uint32_t>(name.size())});
    ranks_.push_back(rank);
    names_ += name;
}

// As perf decides: a sized symbol, then a strong one, then a global one, then the name with fewer
// underscores in front, then the longer one, then the first in the file.
bool SymbolTable::better(std::size_t a, std::size_t b) const {
    const SymbolRank& left = ranks_[a];
    const SymbolRank& right = ranks_[b];
    if (left.sized != right.sized) return left.sized;
    if (left.strong != right.strong) return left.strong;
    if (left.global != right.global) return left.global;
    const std::string_view one = name(symbols_[a]);
    const std::string_view other = name(symbols_[b]);
    const auto bars = leading_underscores(one);
    const auto other_bars = leading_underscores(other);
    if (bars != other_bars) return bars < other_bars;
    if (one.size() != other.size()) return one.size() > other.size();
    return a < b;
}

void SymbolTable::finish() {
    struct Place {
        std::uint64_t start = 0;
        std::uint32_t index = 0;
    };
    std::vector<Place> order;
    order.reserve(symbols_.size());
    for (const Symbol& symbol : symbols_)
        order.push_back({symbol.start, static_cast<std::uint32_t>(order.size())});
    std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
        return a.start != b.start ? a.start < b.start : better(a.index, b.index);
    });
    std::vector<Symbol> kept;
    kept.reserve(order.size());
    for (const auto& place : order)
        if (kept.empty() || kept.back().start != place.start) kept.push_back(symbols_[place.index]);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].end != kept[i].start) continue;
        kept[i].end = i + 1 < kept.size()
                          ? kept[i + 1].start
                          : (kept[i].start + 2 * page_bytes) / page_bytes * page_bytes;
    }
    symbols_ = std::move(kept);
    ranks_ = {};
}

// Symbols may overlap (a function with a label inside): the one that begins last wins, and where
// that has ended, one of the few before it.
const Symbol* SymbolTable::find(std::uint64_t address) const {
    auto after = std::upper_bound(
        symbols_.begin(), symbols_.end(), address,
        [](std::uint64_t value, const Symbol& symbol) { return value < symbol.start; });
    for (int back = 0; back < 8 && after != symbols_.begin(); ++back) {
        --after;
        if (address < after->end) return &*after;
    }
    return nullptr;
}

}  // namespace ringside::symbols
