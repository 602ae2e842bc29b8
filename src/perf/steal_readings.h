// How much of each CPU had been stolen so far, as Ringside's recorder noted it between the samples:
// PERF_RECORD_READ records of the event that the file's context names.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/data_file.h"

namespace ringside::perf {

struct StealReading {
    std::uint64_t time_ns = 0;
    std::uint32_t cpu = 0;
    std::uint64_t stolen_ns = 0;  // since some time before the recording: differences count
};

class StealReadings {
  public:
    // Any record of `file`; those that are no readings are left alone.
    void take(const DataFile& file, const DataRecord& record);
    // Call once, after the last record. In the order of time; empty where nothing was noted, or the
    // recorder had nowhere to read it from.
    std::vector<StealReading> of_steal(const DataFile& file) &&;

  private:
    struct Reading {
        std::size_t event = 0;
        StealReading what;
    };
    std::vector<Reading> readings_;
};

}  // namespace ringside::perf
