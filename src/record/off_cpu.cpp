#include "record/off_cpu.h"

#include <array>

#include <time.h>

#include "perf/record_encoder.h"

namespace ringside::record {

namespace {

constexpr std::array<const char*, bpf::off_cpu_kinds> names{
    "off-cpu:sleeping", "off-cpu:io", "off-cpu:blocked", "off-cpu:waiting", "stolen"};

// The kernel counts its ids upwards from 1 and never gets here.
constexpr std::uint64_t first_id = std::uint64_t{1} << 62;

void add_part(std::vector<std::uint64_t>& chain, std::uint64_t mark,
              const std::vector<std::uint64_t>& addresses) {
    if (addresses.empty()) return;
    chain.push_back(mark);
    chain.insert(chain.end(), addresses.begin(), addresses.end());
}

}  // namespace

std::vector<perf::WrittenEvent> off_cpu_events() {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_BPF_OUTPUT;  // what perf has for samples that BPF programs make
    attr.sample_period = 1;
    attr.sample_type = perf::made_sample_type;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    std::vector<perf::WrittenEvent> events;
    for (std::size_t i = 0; i < names.size(); ++i)
        events.push_back({attr, names[i], {first_id + i}});
    return events;
}

void encode_off_cpu(const bpf::OffCpuProfile& profile, std::uint64_t time_ns,
                    base::ByteWriter& out) {
    std::vector<std::uint64_t> chain;
    for (const auto& sum : profile.sums) {
        chain.clear();
        add_part(chain, static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL), sum.kernel_stack);
        add_part(chain, static_cast<std::uint64_t>(PERF_CONTEXT_USER), sum.user_stack);
        perf::SampleRecord sample;
        sample.stamp = {sum.pid, sum.tid, time_ns, 0,
                        first_id + static_cast<std::uint64_t>(sum.kind)};
        sample.period = sum.total_ns;
        sample.in_kernel = !sum.kernel_stack.empty();
        sample.chain = chain;
        perf::encode_sample(out, sample);
    }
}

std::vector<Waited> sum_waits(const bpf::OffCpuProfile& profile) {
    std::vector<Waited> waits;
    waits.reserve(std::size(names));
    for (const char* name : names) waits.push_back({name, 0});
    for (const auto& sum : profile.sums)
        waits[static_cast<std::size_t>(sum.kind)].total_ns += sum.total_ns;
    return waits;
}

}  // namespace ringside::record
