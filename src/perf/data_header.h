// The head and the feature sections of a perf.data file: which events were recorded, by whom,
// where. Layouts as in the kernel's tools/perf/Documentation/perf.data-file-format.txt. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <linux/perf_event.h>

#include <ringside/result.h>

#include "base/field_cursor.h"
#include "perf/data_context.h"
#include "perf/sample.h"
#include "perf/tracepoint_format.h"

namespace ringside::perf {

// One recorded event.
struct DataEvent {
    perf_event_attr attributes{};
    SampleLayout layout;
    std::string name;
    std::vector<std::uint64_t> ids;
};

struct DataBuildId {
    std::string file;
    std::string build_id;  // hexadecimal
    CpuMode mode = CpuMode::unknown;
    std::uint32_t pid = 0;  // of the machine: 0 or -1 for the host
};

// What the file says of its own making; what it does not say is empty or 0.
struct Origin {
    std::string host;
    std::string os_release;
    std::string perf_version;
    std::string architecture;
    std::string cpu_description;
    std::vector<std::string> command;
    std::uint32_t cpus_online = 0;
    std::uint64_t memory_kb = 0;
    std::uint64_t first_sample_ns = 0;
    std::uint64_t last_sample_ns = 0;
    // The time of day at one instant of the samples' clock, to lay two files side by side.
    std::uint32_t clock_id = 0;
    std::uint64_t wall_clock_ns = 0;
    std::uint64_t sample_clock_ns = 0;
};

struct DataHeader {
    ByteOrder order = ByteOrder::same;
    bool pipe = false;  // no sections: everything comes as records
    std::uint64_t data_offset = 0;
    std::uint64_t data_size = 0;  // 0: the recorder did not live to write it
    std::vector<DataEvent> events;
    std::vector<DataBuildId> build_ids;
    std::vector<TracepointFormat> tracepoints;  // how those that were recorded are laid out
    Origin origin;
    std::vector<std::byte> tracing_data;  // the formats of tracepoints, as perf keeps them
    Context context;                      // what Ringside added; empty in perf's own files
};

enum class Feature : std::uint32_t {
    tracing_data = 1,
    build_id = 2,
    hostname = 3,
    os_release = 4,
    version = 5,
    architecture = 6,
    cpus = 7,
    cpu_description = 8,
    cpu_id = 9,
    total_memory = 10,
    command_line = 11,
    event_description = 12,
    branch_stack = 15,
    sample_time = 21,
    clock_id = 23,
    clock_data = 29,
};

struct Section {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// "PERFILE2" as a number, in the byte order of the machine that wrote the file.
constexpr std::uint64_t data_magic = 0x32454c4946524550;
// PERF_RECORD_MISC_BUILD_ID_SIZE of perf's own headers: the byte behind the id says how long it is.
constexpr std::uint16_t sized_build_id = 1 << 15;
constexpr std::size_t data_header_bytes = 104;
constexpr std::size_t pipe_header_bytes = 16;

// The fixed part. `attributes` and `features` are then read by whoever holds the file.
struct HeaderSections {
    ByteOrder order = ByteOrder::same;
    bool pipe = false;
    std::uint64_t attribute_bytes = 0;  // of one entry
    Section attributes;
    Section data;
    std::array<std::uint64_t, 4> features{};

    bool has(std::uint32_t feature) const {
        return (features[feature / 64] >> (feature % 64) & 1) != 0;
    }
};

// Fails if this is no perf.data file, and says what was expected.
Result<HeaderSections> parse_header_sections(std::span<const std::byte> bytes);

// One perf_event_attr as it lies in a file: of any size, in either byte order.
std::optional<perf_event_attr> parse_attributes(std::span<const std::byte> bytes, ByteOrder order);

// What a feature says goes into `header`. False if it is cut short; unknown ones are left alone.
bool parse_feature(std::uint32_t feature, std::span<const std::byte> bytes, DataHeader& header);

// The body of a HEADER_ATTR record, or of one entry of the attribute section without its ids.
std::optional<DataEvent> parse_attribute_record(std::span<const std::byte> body, ByteOrder order);

// The body of a BUILD_ID record, header not included.
std::optional<DataBuildId> parse_build_id(std::span<const std::byte> body, std::uint16_t misc,
                                          ByteOrder order);

// A guest's CPU that an event's id stands for: its recording was merged into the host's.
struct GuestPlace {
    std::uint32_t machine_pid = 0;  // the VMM
    std::uint32_t vcpu = 0;
};
using GuestPlaces = std::unordered_map<std::uint64_t, GuestPlace>;
// The body of an ID_INDEX record; ids of the host are left out.
void parse_id_index(std::span<const std::byte> body, ByteOrder order, GuestPlaces& places);

// The body of an EVENT_UPDATE record that names an event, by one of its ids; nullopt for others.
struct EventName {
    std::uint64_t id = 0;
    std::string name;
};
std::optional<EventName> parse_event_update(std::span<const std::byte> body, ByteOrder order);

}  // namespace ringside::perf
