// What a set of counters costs beyond the registers it reads, in instructions, counted by the very
// counter that is read: exact on every machine whose PMU lends its registers to user space.
//   register_read        prints a table; exit code 1 where registers are not lent
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include <linux/perf_event.h>

#include <ringside/event_set.h>

#include "perf/event_fd.h"
#include "perf/ring_buffer.h"
#include "perf/user_read.h"

namespace {

using namespace ringside;

constexpr int readings = 1000;
constexpr std::array<std::string_view, 4> names = {"instructions:u", "cycles:u", "instructions:uu",
                                                   "cycles:uu"};

int complain(const Error& error) {
    std::fprintf(stderr, "register_read: %s\n%s\n", error.what.c_str(), error.hint.c_str());
    return 1;
}

// An event of our own, whose page the bare sequence reads.
Result<perf::EventFd> open_readable() {
    perf::OpenOptions options;
    options.disabled = false;
    options.config1_extra = perf::lend_to_user_config1;
    model::Event event;
    event.name = "instructions";
    event.code = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0};
    return perf::EventFd::open(model::user_only(event), {}, options);
}

// Every reading is checked, as a program must: an event can lose its counter.
void check(bool read) {
    if (read) return;
    std::fprintf(stderr, "register_read: a reading failed\n");
    std::exit(1);
}

double cost_of_set(EventSet& set) {
    std::array<std::int64_t, names.size()> values{};
    check(set.read(values).has_value());
    const std::int64_t before = values[0];
    for (int i = 0; i < readings; ++i) check(set.read(values).has_value());
    return static_cast<double>(values[0] - before) / readings;
}

// The sequence that linux/perf_event.h describes, as a function of its own.
[[gnu::noinline]] bool read_bare(perf::ControlPage& page, std::uint64_t& count) {
    return perf::read_user(page, count);
}

// The same, inlined and unchecked: no program could do with less.
double least_cost(perf::ControlPage& page, std::size_t events) {
    std::array<std::uint64_t, names.size()> values{};
    check(perf::read_user(page, values[0]));
    const std::uint64_t before = values[0];
    for (int i = 0; i < readings; ++i) {
        for (std::size_t event = 0; event < events; ++event) {
            static_cast<void>(perf::read_user(page, values[event]));
        }
    }
    return static_cast<double>(values[0] - before) / readings;
}

double cost_of_registers(perf::ControlPage& page, std::size_t events) {
    std::array<std::uint64_t, names.size()> values{};
    check(read_bare(page, values[0]));
    const std::uint64_t before = values[0];
    for (int i = 0; i < readings; ++i) {
        for (std::size_t event = 0; event < events; ++event) check(read_bare(page, values[event]));
    }
    return static_cast<double>(values[0] - before) / readings;
}

Result<double> measure_set(const Session& session, std::size_t events) {
    auto set = session.event_set();
    if (auto added = set.add(std::span(names).first(events)); !added) return added.error();
    if (auto started = set.start(); !started) return started.error();
    return cost_of_set(set);
}

}  // namespace

int main() {
    const auto event = open_readable();
    if (!event) return complain(event.error());
    const auto page = perf::RingBuffer::map(*event, 0);
    if (!page) return complain(page.error());
    std::uint64_t count = 0;
    if (!perf::read_user(page->control(), count)) {
        std::fprintf(stderr,
                     "register_read: registers are not lent to user space here\n"
                     "on arm64: sysctl kernel.perf_user_access=1\n");
        return 1;
    }
    const auto session = Session::open();
    std::puts(
        "| operation | instructions | registers, in a function | ratio | inlined, unchecked | "
        "ratio "
        "|\n|---|---|---|---|---|---|");
    for (const std::size_t events : {std::size_t{1}, names.size()}) {
        const auto ours = measure_set(session, events);
        if (!ours) return complain(ours.error());
        const double bare = cost_of_registers(page->control(), events);
        const double least = least_cost(page->control(), events);
        std::printf("| read %zu events | %.1f | %.1f | %.2f | %.1f | %.2f |\n", events, *ours, bare,
                    *ours / bare, least, *ours / least);
    }
    return 0;
}
