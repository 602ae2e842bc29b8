// Names for addresses: sorted once, then asked often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::symbols {

struct Symbol {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  // the first address behind it
    std::uint32_t name_at = 0;
    std::uint32_t name_bytes = 0;
};

// How much a name is worth where several stand for one address.
struct SymbolRank {
    bool sized = false;
    bool strong = false;  // not weak
    bool global = false;
};

class SymbolTable {
  public:
    // `size` 0: up to the next symbol.
    void add(std::uint64_t start, std::uint64_t size, std::string_view name, SymbolRank rank = {});
    // Call once, after the last add(): sorts, keeps one name for each address, closes gaps.
    void finish();

    const Symbol* find(std::uint64_t address) const;
    std::string_view name(const Symbol& symbol) const {
        return std::string_view(names_).substr(symbol.name_at, symbol.name_bytes);
    }
    const std::vector<Symbol>& symbols() const { return symbols_; }
    bool empty() const { return symbols_.empty(); }

  private:
    void append_name(std::string_view name);
    bool better(std::size_t a, std::size_t b) const;
    void index_buckets();
    // How many symbols begin at `address` or before.
    std::size_t count_up_to(std::uint64_t address) const;

    std::vector<Symbol> symbols_;
    // The addresses from the first symbol on in pieces of 2^bucket_bits_ bytes: how many symbols
    // begin before each.
    std::vector<std::uint32_t> buckets_;
    unsigned bucket_bits_ = 0;
    std::vector<SymbolRank> ranks_;  // until finish()
    std::string names_;
};

}  // namespace ringside::symbols
