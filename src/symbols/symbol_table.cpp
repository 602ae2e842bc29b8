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
    const std::size_t name_at = names_.size();
    append_name(name);
    symbols_.push_back({start, end, static_cast<std::uint32_t>(name_at),
                        static_cast<std::uint32_t>(names_.size() - name_at)});
    ranks_.push_back(rank);
}

// Thousands of symbols can have one long name, or ends of it. Nobody reads one of which this is not
// enough to tell it from others.
void SymbolTable::append_name(std::string_view name) {
    constexpr std::size_t longest = 2048;
    constexpr std::size_t kept = 1000;
    if (name.size() <= longest) {
        names_ += name;
        return;
    }
    names_ += name.substr(0, kept);
    names_ += "...(" + std::to_string(name.size()) + " letters)...";
    names_ += name.substr(name.size() - kept);
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
    index_buckets();
}

// About as many pieces as symbols: in most of them a few begin.
void SymbolTable::index_buckets() {
    if (symbols_.empty()) return;
    const std::uint64_t base = symbols_.front().start;
    const std::uint64_t range = symbols_.back().start - base;
    while (range >> bucket_bits_ >= 2 * symbols_.size()) ++bucket_bits_;
    // The last one is the end of the last piece.
    buckets_.assign((range >> bucket_bits_) + 2, static_cast<std::uint32_t>(symbols_.size()));
    for (std::size_t i = symbols_.size(); i-- > 0;)
        buckets_[(symbols_[i].start - base) >> bucket_bits_] = static_cast<std::uint32_t>(i);
    for (std::size_t i = buckets_.size() - 1; i-- > 0;)
        buckets_[i] = std::min(buckets_[i], buckets_[i + 1]);
}

std::size_t SymbolTable::count_up_to(std::uint64_t address) const {
    if (symbols_.empty() || address < symbols_.front().start) return 0;
    const std::uint64_t bucket = (address - symbols_.front().start) >> bucket_bits_;
    if (bucket + 1 >= buckets_.size()) return symbols_.size();
    const auto after = std::upper_bound(
        symbols_.begin() + buckets_[bucket], symbols_.begin() + buckets_[bucket + 1], address,
        [](std::uint64_t value, const Symbol& symbol) { return value < symbol.start; });
    return static_cast<std::size_t>(after - symbols_.begin());
}

// Symbols may overlap (a function with a label inside): the one that begins last wins, and where
// that has ended, one of the few before it.
const Symbol* SymbolTable::find(std::uint64_t address) const {
    std::size_t after = count_up_to(address);
    for (int back = 0; back < 8 && after > 0; ++back) {
        const Symbol& symbol = symbols_[--after];
        if (address < symbol.end) return &symbol;
    }
    return nullptr;
}

}  // namespace ringside::symbols
