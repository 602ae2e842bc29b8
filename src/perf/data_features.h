// The feature sections of a perf.data file, written: what Origin says when they are read. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perf/data_header.h"

namespace ringside::perf {

struct WrittenEvent;

// By their numbers, the order in which they lie in the file.
using FeatureSections = std::map<std::uint32_t, std::vector<std::byte>>;

std::vector<std::byte> encode_text(std::string_view text);
std::vector<std::byte> encode_texts(const std::vector<std::string>& texts);
std::vector<std::byte> encode_build_ids(const std::vector<DataBuildId>& build_ids);
std::vector<std::byte> encode_event_descriptions(const std::vector<WrittenEvent>& events);
std::vector<std::byte> encode_words(std::initializer_list<std::uint64_t> words);
// The clock of the samples, and what time of day it was at one of its instants.
std::vector<std::byte> encode_clock_data(std::uint32_t clock_id, std::uint64_t wall_clock_ns,
                                         std::uint64_t sample_clock_ns);

}  // namespace ringside::perf
