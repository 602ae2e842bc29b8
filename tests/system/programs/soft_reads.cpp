// Counts itself in a machine with a shared page: what two loops differ by, in two threads at once,
// through PAPI's interface, and on all CPUs, what a read costs, and what two events get that must
// take turns. Says one number a line.
//   soft_reads [--for-ever]     with it: only reads, until it is ended or its page is taken away
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <ringside/clocks.h>
#include <ringside/event_set.h>
#include <ringside/papi/papi.h>

#include "abi/soft_counts.h"
#include "components/soft/guest.h"
#include "perf/event_fd.h"
#include "trust/loops.h"

namespace {

using ringside::EventSet;

ringside::SetOptions user_only() {
    ringside::SetOptions options;
    options.domains.kernel = false;
    return options;
}

std::int64_t counted(EventSet& set, std::uint64_t iterations) {
    std::int64_t value = -1;
    if (!set.start()) return -1;
    ringside::trust::counted_loop(iterations);
    return set.read(std::span(&value, 1)) && set.stop() ? value : -1;
}

// What `iterations` more of a loop count.
std::int64_t difference(const ringside::Session& session, std::uint64_t iterations) {
    EventSet set = session.event_set(user_only());
    if (auto added = set.add("soft:::INSTRUCTIONS"); !added) {
        std::printf("%s\n", added.error().what.c_str());
        return -1;
    }
    counted(set, 1000);
    const auto once = counted(set, 1000);
    return counted(set, 1000 + iterations) - once;
}

// The same through PAPI's interface.
std::int64_t papi_difference(std::uint64_t iterations) {
    int set = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_set_cmp_domain(PAPI_DOM_USER, PAPI_get_component_index("soft")) != PAPI_OK ||
        PAPI_create_eventset(&set) != PAPI_OK) {
        return -1;
    }
    const int added = PAPI_add_named_event(set, "soft:::INSTRUCTIONS");
    if (added != PAPI_OK) {
        std::printf("papi_refused %s\n", PAPI_strerror(added));
        return -1;
    }
    const auto counted_by_papi = [&](std::uint64_t turns) {
        long long value = -1;
        if (const int started = PAPI_start(set); started != PAPI_OK) {
            std::printf("papi_refused %s\n", PAPI_strerror(started));
            return value;
        }
        ringside::trust::counted_loop(turns);
        return PAPI_stop(set, &value) == PAPI_OK ? value : -1;
    };
    counted_by_papi(1000);
    const auto once = counted_by_papi(1000);
    return counted_by_papi(1000 + iterations) - once;
}

// In nanoseconds the least of some rounds, since others use the CPU, too.
void say_cost_of_reading(const ringside::Session& session) {
    EventSet set = session.event_set(user_only());
    if (!set.add("soft:::INSTRUCTIONS") || !set.start()) return;
    std::int64_t first = 0;
    std::int64_t second = 0;
    if (!set.read(std::span(&first, 1)) || !set.read(std::span(&first, 1))) return;
    if (!set.read(std::span(&second, 1))) return;
    std::printf("read_instructions %lld\n", static_cast<long long>(second - first));
    std::printf("read_by %s\n", set.explain(0).c_str());
    constexpr int rounds = 50;
    constexpr int reads = 200;
    std::int64_t value = 0;
    std::uint64_t least = UINT64_MAX;
    for (int round = 0; round < rounds; ++round) {
        const auto begin = ringside::real_ns();
        for (int i = 0; i < reads; ++i) {
            if (!set.read(std::span(&value, 1))) return;
        }
        least = std::min(least, ringside::real_ns() - begin);
    }
    std::printf("read_ns %lld\n", static_cast<long long>(least / reads));
}

// All that the CPUs did meanwhile, so at least the loop.
std::int64_t on_all_cpus(const ringside::Session& session, std::uint64_t iterations) {
    ringside::SetOptions options;
    options.target = ringside::Target::system();
    EventSet set = session.event_set(options);
    return set.add("soft:::INSTRUCTIONS") ? counted(set, iterations) : -1;
}

// Both want the alarm of the same counter, which there is one of.
void take_turns() {
    const auto pmu = ringside::components::soft::machine_pmu(ringside::base::SysRoot());
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = pmu ? pmu->type : 0;
    attributes.config = SOFT_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.sample_period = 1'000'003;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const auto one = ringside::perf::EventFd::open(attributes, {}, "one");
    const auto two = ringside::perf::EventFd::open(attributes, {}, "two");
    if (!one || !two) return;
    ringside::trust::counted_loop(40'000'000);
    for (const auto* event : {&one, &two}) {
        const auto count = (*event)->read();
        if (!count || !*count) return;
        std::printf("turn %llu %llu %llu\n", static_cast<unsigned long long>((*count)->value),
                    static_cast<unsigned long long>((*count)->enabled_ns),
                    static_cast<unsigned long long>((*count)->running_ns));
    }
}

[[noreturn]] void read_for_ever(const ringside::Session& session) {
    EventSet set = session.event_set(user_only());
    if (!set.add("soft:::INSTRUCTIONS") || !set.start()) std::exit(1);
    for (std::int64_t value = 0;;) {
        if (!set.read(std::span(&value, 1))) std::exit(1);
        static const bool said = std::puts("reading") >= 0 && std::fflush(stdout) == 0;
        if (!said) std::exit(1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--for-ever")
        read_for_ever(ringside::Session::open());
    const auto session = ringside::Session::open();
    std::int64_t other = 0;
    std::thread beside([&] { other = difference(session, 2'000'000); });
    const auto own = difference(session, 1'000'000);
    beside.join();
    std::printf("own %lld\n", static_cast<long long>(own));
    std::printf("other %lld\n", static_cast<long long>(other));
    std::printf("papi %lld\n", static_cast<long long>(papi_difference(1'000'000)));
    std::printf("cpus %lld\n", static_cast<long long>(on_all_cpus(session, 1'000'000)));
    say_cost_of_reading(session);
    take_turns();
    return 0;
}
