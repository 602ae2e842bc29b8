// How the fields of a tracepoint lie in its samples: the kernel's own description, from tracefs or
// from the tracing data of a perf.data file. Pure and total: what cannot be read is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_cursor.h"

namespace ringside::perf {

struct TracepointField {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;

    // The number there, its sign not looked at; nullopt if the sample is shorter or this is no
    // number.
    std::optional<std::uint64_t> read(std::span<const std::byte> raw, base::ByteOrder order) const;
};

struct TracepointFormat {
    std::string name;      // "kvm_exit"
    std::uint64_t id = 0;  // perf_event_attr's config
    std::vector<TracepointField> fields;

    const TracepointField* find(std::string_view field) const;
};

// A file events/SYSTEM/NAME/format of tracefs. nullopt if it names no tracepoint.
std::optional<TracepointFormat> parse_tracepoint_format(std::string_view text);

// The tracing data of a perf.data file, in the layout that perf and trace-cmd share.
std::vector<TracepointFormat> parse_tracing_data(std::span<const std::byte> bytes,
                                                 base::ByteOrder order);

}  // namespace ringside::perf
