// One record of a perf.data file: how it is told from the next, and the types that perf adds to the
// kernel's. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "perf/sample.h"

namespace ringside::perf {

// Record types that perf adds to the kernel's.
enum : std::uint32_t {
    record_header_attr = 64,
    record_tracing_data = 66,
    record_build_id = 67,
    record_finished_round = 68,
    record_id_index = 69,
    record_auxtrace = 71,
    record_event_update = 78,
    record_feature = 80,
    record_compressed = 81,
};

struct DataRecord {
    std::uint32_t type = 0;
    std::uint16_t misc = 0;
    std::span<const std::byte> body;       // without the header
    std::uint64_t position = 0;            // in the file; grows from record to record
    std::span<const std::byte> payload{};  // what some types have behind header.size
};

// How many bytes the record at the front of `bytes` takes, its payload behind header.size included;
// nullopt if it is not whole. A size that cannot be is reported as 0.
std::optional<std::uint64_t> record_extent(std::span<const std::byte> bytes, ByteOrder order);

// The record at the front of `bytes`, which is whole.
DataRecord record_at(std::span<const std::byte> bytes, ByteOrder order);

}  // namespace ringside::perf
