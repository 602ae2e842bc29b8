// A host's recording and those of its guests as one timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "merge/matching.h"

namespace ringside::merge {

struct GuestInput {
    std::string name;
    std::string file;
    Wanted wanted;
};

struct Request {
    std::string host_file;
    std::vector<GuestInput> guests;
    std::string output;  // a perf.data file; empty: only the report
    std::string version;
    std::vector<std::string> command_line;
};

// One CPU of a guest, from both sides, over the time of the guest's recording.
struct VcpuReport {
    std::uint32_t guest_cpu = 0;
    std::optional<std::uint32_t> vcpu;  // as the host numbers it, if it does
    std::uint32_t tid = 0;              // of the host's thread
    Agreement agreement;
    std::uint64_t exits = 0;
    DoingTimes host_ns{};
    std::optional<std::uint64_t> guest_stolen_ns;  // what the guest's kernel says
};

struct GuestReport {
    std::string name;
    std::string file;
    std::uint32_t pid = 0;
    ClockSource source = ClockSource::runs;
    std::int64_t offset_ns = 0;  // host minus guest, at the guest's first sample
    double drift_ppm = 0;
    double uncertainty_ns = 0;
    Agreement agreement;
    bool vcpus_matched = false;
    Window host_time;  // of the guest's samples
    std::vector<VcpuReport> vcpus;
};

struct MergeReport {
    std::string host_file;
    std::uint64_t host_first_ns = 0;
    std::uint64_t host_last_ns = 0;
    std::uint64_t host_lost = 0;  // records
    bool sees_steal = false;      // the host recorded when threads were switched
    bool sees_wakeups = false;
    bool sees_vmm = false;
    std::vector<GuestReport> guests;
    std::string output;
    // Of the written file.
    std::uint64_t host_samples = 0;
    std::uint64_t guest_samples = 0;
    std::uint64_t replaced_samples = 0;  // the host's inside guests that recorded themselves
    std::vector<std::string> warnings;
};

// Fails when a file cannot be read, or a guest's place in the host's time is not certain.
Result<MergeReport> merge(const Request& request);

}  // namespace ringside::merge
