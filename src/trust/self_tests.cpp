#include "trust/self_tests.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "trust/arch.h"
#include "trust/judge.h"
#include "trust/loops.h"
#include "trust/observe.h"

namespace ringside::trust {

namespace {

model::Event hardware(const char* name, std::uint64_t config) {
    model::Event event;
    event.name = name;
    event.code = {PERF_TYPE_HARDWARE, config, 0, 0};
    return event;
}

model::Event instructions() {
    return hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS);
}

SelfTest not_made(std::string name, std::string why) {
    return {std::move(name), std::nullopt, std::move(why)};
}

// The value of an event that was on its counter; nullopt otherwise.
std::optional<std::uint64_t> value_of(const perf::EventFd& fd) {
    const auto count = fd.read();
    if (!count || !*count || (*count)->running_ns == 0) return std::nullopt;
    return (*count)->value;
}

std::optional<std::uint64_t> count_exits(const perf::EventFd& fd, std::uint64_t exits) {
    static_cast<void>(fd.reset());
    static_cast<void>(fd.enable());
    exiting_loop(exits, fd.fd());
    static_cast<void>(fd.disable());
    return value_of(fd);
}

Level exit_level() {
    return exits_from_user_mode ? Level::any : Level::user;
}

}  // namespace

SelfTest judge_stopped(std::uint64_t running, std::uint64_t stopped) {
    SelfTest test{"stopped", CounterState::ok, {}};
    if (running == 0) test.state = CounterState::dead;
    if (stopped > 0) test.state = CounterState::implausible;
    test.detail =
        fmt::format("{} cycles counted in a loop; {} in the same loop after it was stopped",
                    grouped(running), grouped(stopped));
    return test;
}

SelfTest test_stopped() {
    constexpr std::uint64_t iterations = 100'000;
    const auto fd =
        perf::EventFd::open(model::user_only(hardware("cycles", PERF_COUNT_HW_CPU_CYCLES)), {});
    if (!fd) return not_made("stopped", fd.error().what);
    static_cast<void>(fd->enable());
    counted_loop(iterations);
    static_cast<void>(fd->disable());
    const auto running = value_of(*fd);
    counted_loop(iterations);
    const auto after = value_of(*fd);
    if (!running || !after) return not_made("stopped", "cycles got no counter");
    return judge_stopped(*running, *after - *running);
}

SelfTest judge_exits(std::uint64_t exits, std::uint64_t counted, std::uint64_t expected) {
    const double extra =
        (static_cast<double>(counted) - static_cast<double>(expected)) / static_cast<double>(exits);
    SelfTest test{"forced_exits", CounterState::ok, {}};
    // A few come from timer interrupts; a VMM that is counted shows with dozens.
    if (extra > 20 || extra < -1) test.state = CounterState::implausible;
    test.detail = fmt::format("{} forced exits added {:.2f} instructions each", exits, extra);
    return test;
}

SelfTest test_exits() {
    constexpr std::uint64_t exits = 200;
    const Opened opened = open_as_permitted(instructions(), exit_level());
    if (!opened.fd) return not_made("forced_exits", opened.fd.error().what);
    // The least of several: an interrupt only ever adds.
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
        const auto few = count_exits(*opened.fd, 1);
        const auto many = count_exits(*opened.fd, exits + 1);
        if (!few || !many) return not_made("forced_exits", "instructions got no counter");
        if (*many == 0) return not_made("forced_exits", "instructions do not count");
        least = std::min(least, *many - std::min(*many, *few));
    }
    return judge_exits(exits, least, exits * exiting_loop_instructions);
}

SelfTest judge_levels(std::uint64_t user, std::uint64_t kernel, std::uint64_t both) {
    SelfTest test{"levels", CounterState::ok, {}};
    const std::uint64_t sum = user + kernel;
    const std::uint64_t apart = sum > both ? sum - both : both - sum;
    if (apart > both / 100 + 64) test.state = CounterState::implausible;
    if (both == 0) test.state = CounterState::dead;
    test.detail = fmt::format("user {} + kernel {} = {}; both at once {}", grouped(user),
                              grouped(kernel), grouped(sum), grouped(both));
    return test;
}

SelfTest test_levels() {
    model::Event both = instructions();
    model::Event kernel = both;
    kernel.exclude.user = kernel.exclude.hypervisor = true;
    both.exclude.hypervisor = true;
    const auto leader = perf::EventFd::open(both, {});
    if (!leader) return not_made("levels", leader.error().what);
    perf::OpenOptions with_leader;
    with_leader.disabled = false;
    const auto user_fd =
        perf::EventFd::open(model::user_only(instructions()), {}, with_leader, &*leader);
    const auto kernel_fd = perf::EventFd::open(kernel, {}, with_leader, &*leader);
    if (!user_fd || !kernel_fd) return not_made("levels", "no three counters at once");
    Workbench bench;
    bench.run(
        Workload::faults, [&] { static_cast<void>(leader->enable()); },
        [&] { static_cast<void>(leader->disable()); });
    const auto all = value_of(*leader);
    const auto in_user = value_of(*user_fd);
    const auto in_kernel = value_of(*kernel_fd);
    if (!all || !in_user || !in_kernel) return not_made("levels", "no three counters at once");
    return judge_levels(*in_user, *in_kernel, *all);
}

SelfTest judge_multiplexing(int counters, const std::vector<perf::Count>& counts) {
    SelfTest test{"multiplexing", CounterState::ok, {}};
    double least = 1;
    for (const auto& count : counts) {
        const double share = count.enabled_ns == 0 ? 0
                                                   : static_cast<double>(count.running_ns) /
                                                         static_cast<double>(count.enabled_ns);
        least = std::min(least, share);
    }
    test.detail = fmt::format("{} events on {} counters: each ran at least {:.0f} % of the time",
                              counts.size(), counters, 100 * least);
    if (least == 0) test.state = CounterState::not_scheduled;
    if (least > 0.999) {
        test.state = CounterState::implausible;
        test.detail += ", which cannot be";
    }
    return test;
}

SelfTest test_multiplexing(int counters) {
    using Clock = std::chrono::steady_clock;
    const auto event = model::user_only(hardware("cycles", PERF_COUNT_HW_CPU_CYCLES));
    std::vector<perf::EventFd> fds;
    for (int i = 0; i <= counters; ++i) {
        auto fd = perf::EventFd::open(event, {});
        if (!fd) return not_made("multiplexing", fd.error().what);
        fds.push_back(std::move(*fd));
    }
    for (const auto& fd : fds) static_cast<void>(fd.enable());
    // The kernel rotates every few milliseconds; all must have had a turn after a round.
    const auto end = Clock::now() + std::chrono::milliseconds(8 * (counters + 1));
    while (Clock::now() < end) counted_loop(100'000);
    std::vector<perf::Count> counts;
    for (const auto& fd : fds) {
        static_cast<void>(fd.disable());
        const auto count = fd.read();
        if (!count || !*count) return not_made("multiplexing", "an event could not be read");
        counts.push_back(**count);
    }
    return judge_multiplexing(counters, counts);
}

}  // namespace ringside::trust
