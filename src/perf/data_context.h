// What Ringside says in a perf.data file beyond perf's own sections: named texts, in two places
// that no reader of perf.data looks at. The first lies right behind the header and is there from
// the beginning; it leads to the second, at the end of the file, which only a finished recording
// has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/sample.h"

namespace ringside::perf {

struct ContextItem {
    std::string name;
    std::string value;

    bool operator==(const ContextItem&) const = default;
};
using Context = std::vector<ContextItem>;

// The value of the first item of that name.
std::optional<std::string_view> find_item(const Context& context, std::string_view name);

struct ContextHead {
    Context items;
    std::uint64_t rest_offset = 0;  // in the file; 0: the recording was never finished
    std::uint64_t rest_bytes = 0;
};

// At this offset of the head are rest_offset and rest_bytes, to be filled in later.
constexpr std::size_t context_rest_at = 16;

// A whole number of words.
std::vector<std::byte> encode_context(const Context& context);
std::vector<std::byte> encode_context_head(const Context& context);

// How many bytes the head at the front of `bytes` takes; 0 if that is none.
std::uint64_t context_head_bytes(std::span<const std::byte> bytes, ByteOrder order);
// nullopt if it is none, or cut short.
std::optional<ContextHead> parse_context_head(std::span<const std::byte> bytes, ByteOrder order);
// As many items as are whole.
Context parse_context(std::span<const std::byte> bytes, ByteOrder order);

}  // namespace ringside::perf
