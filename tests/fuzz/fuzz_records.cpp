// Records of a ring buffer: any bytes, decoded by any sample type.
#include <cstdint>
#include <cstring>

#include "perf/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint64_t sample_type = 0;
    std::uint32_t type = 0;
    if (size < sizeof sample_type + sizeof type) return 0;
    std::memcpy(&sample_type, data, sizeof sample_type);
    std::memcpy(&type, data + sizeof sample_type, sizeof type);
    const auto* body = reinterpret_cast<const std::byte*>(data) + sizeof sample_type + sizeof type;
    const ringside::perf::RecordView record{
        type % 20, 0, {body, size - sizeof sample_type - sizeof type}};
    static_cast<void>(ringside::perf::decode_sample(record, sample_type));
    static_cast<void>(ringside::perf::decode_switch(record, sample_type));
    static_cast<void>(ringside::perf::decode_task(record));
    static_cast<void>(ringside::perf::decode_lost(record));
    return 0;
}
