#include "trust/workbench.h"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "trust/arch.h"
#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr std::size_t page_bytes =
    4096;  // a stride; that the machine's pages may be larger is fine
constexpr std::size_t arena_pages = 4096;
constexpr std::size_t code_pages = 512;
constexpr std::size_t fault_pages = 256;
constexpr std::size_t line_bytes = 64;

using base::now_ns;

struct Snapshot {
    std::uint64_t wall_ns = 0;
    std::uint64_t cpu_ns = 0;
    rusage usage{};
};

Snapshot snapshot() {
    Snapshot taken;
    ::getrusage(RUSAGE_THREAD, &taken.usage);
    taken.wall_ns = now_ns(CLOCK_MONOTONIC);
    taken.cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    return taken;
}

// The wall is read outside start() and stop() and the CPU clock inside, so that a true count lies
// between them.
Caused witnessed(const Workbench::Toggle& start, const Workbench::Toggle& stop,
                 const Workbench::Toggle& work) {
    const Snapshot before = snapshot();
    start();
    const std::uint64_t cpu_before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    work();
    const std::uint64_t cpu_after = now_ns(CLOCK_THREAD_CPUTIME_ID);
    stop();
    const Snapshot after = snapshot();
    Caused caused;
    // perf's clocks start late and stop early at each context switch; where a switch is emulated
    // that adds up, so only half of the CPU time is certain.
    caused.clock_ns = {(cpu_after - cpu_before) / 2, after.wall_ns - before.wall_ns};
    const auto grown = [&](long rusage::*field) {
        return static_cast<std::uint64_t>(after.usage.*field - before.usage.*field);
    };
    caused.minor_faults = grown(&rusage::ru_minflt);
    caused.major_faults = grown(&rusage::ru_majflt);
    caused.switches = grown(&rusage::ru_nvcsw) + grown(&rusage::ru_nivcsw);
    return caused;
}

// Still counts, for as long as an empty loop takes: an event that counts then lies.
Caused could_not_run(const Workbench::Toggle& start, const Workbench::Toggle& stop,
                     std::string why_not) {
    Caused caused = witnessed(start, stop, [] { counted_loop(1); });
    caused.ran = false;
    caused.why_not = std::move(why_not);
    return caused;
}

// The same instructions around the loop whatever its length, so that their number cancels out.
[[gnu::noinline]] Caused run_loop(const Workbench::Toggle& start, const Workbench::Toggle& stop,
                                  std::uint64_t iterations) {
    return witnessed(start, stop, [iterations] { counted_loop(iterations); });
}

// Small pages, so that the number of faults and TLB entries is known.
base::Mmap map_pages(std::size_t count) {
    const std::size_t size = count * page_bytes;
    void* address =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return {};
    ::madvise(address, size, MADV_NOHUGEPAGE);
    return {address, size};
}

Caused touch_fresh_pages(const Workbench::Toggle& start, const Workbench::Toggle& stop) {
    const base::Mmap pages = map_pages(fault_pages);
    if (!pages) return could_not_run(start, stop, "no memory");
    const auto machine_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return witnessed(start, stop, [&] {
        volatile std::byte* const bytes = pages.data();
        for (std::size_t at = 0; at < pages.size_bytes(); at += machine_page) {
            bytes[at] = std::byte{1};
        }
    });
}

// A function in every page of a fresh mapping: each first call misses the TLB and the caches.
Caused call_fresh_code(const Workbench::Toggle& start, const Workbench::Toggle& stop) {
    const base::Mmap pages = map_pages(code_pages);
    if (!pages) return could_not_run(start, stop, "no memory");
    std::vector<void (*)()> functions;
    for (std::size_t page = 0; page < code_pages; ++page) {
        const std::size_t line = page % (page_bytes / line_bytes);
        std::byte* const at = pages.data() + page * page_bytes + line * line_bytes;
        std::memcpy(at, return_code.data(), return_code.size());
        functions.push_back(reinterpret_cast<void (*)()>(at));
    }
    if (::mprotect(pages.data(), pages.size_bytes(), PROT_READ | PROT_EXEC) != 0) {
        return could_not_run(start, stop, "the kernel allows no code in fresh memory");
    }
    char* const first = reinterpret_cast<char*>(pages.data());
    __builtin___clear_cache(first, first + pages.size_bytes());
    return witnessed(start, stop, [&] {
        for (auto* const function : functions) function();
    });
}

Caused sleep_often(const Workbench::Toggle& start, const Workbench::Toggle& stop) {
    constexpr int sleeps = 20;
    const timespec pause{0, 100'000};
    return witnessed(start, stop, [&] {
        for (int i = 0; i < sleeps; ++i) ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    });
}

// From one CPU to another and back; every change of affinity forces a move.
Caused move_between_cpus(const Workbench::Toggle& start, const Workbench::Toggle& stop) {
    constexpr int moves = 8;
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        return could_not_run(start, stop, "this thread may use one CPU only");
    }
    std::vector<cpu_set_t> places;
    for (int cpu = 0; cpu < CPU_SETSIZE && places.size() < 2; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        cpu_set_t& place = places.emplace_back();
        CPU_ZERO(&place);
        CPU_SET(cpu, &place);
    }
    ::sched_setaffinity(0, sizeof places[0], &places[0]);
    Caused caused = witnessed(start, stop, [&] {
        for (int i = 1; i <= moves; ++i) {
            ::sched_setaffinity(0, sizeof(cpu_set_t), &places[static_cast<std::size_t>(i) % 2]);
        }
    });
    ::sched_setaffinity(0, sizeof allowed, &allowed);
    caused.moves = moves;
    return caused;
}

// The kernel's accounting is read outside the measurement, so that it may hold a few more.
Interval mostly(std::uint64_t seen) {
    return {seen / 2, seen};
}

}  // namespace

std::optional<Workload> workload_named(std::string_view name) {
    using enum Workload;
    constexpr std::array<std::pair<std::string_view, Workload>, 8> names{{{"nothing", nothing},
                                                                          {"loop", loop},
                                                                          {"memory", memory},
                                                                          {"branches", branches},
                                                                          {"code", code},
                                                                          {"faults", faults},
                                                                          {"switches", switches},
                                                                          {"moves", moves}}};
    for (const auto& [text, workload] : names) {
        if (text == name) return workload;
    }
    return std::nullopt;
}

std::optional<Witness> witness_named(std::string_view name) {
    using enum Witness;
    constexpr std::array<std::pair<std::string_view, Witness>, 8> names{
        {{"none", none},
         {"loop", loop},
         {"clock", clock},
         {"faults", faults},
         {"minor_faults", minor_faults},
         {"major_faults", major_faults},
         {"switches", switches},
         {"moves", moves}}};
    for (const auto& [text, witness] : names) {
        if (text == name) return witness;
    }
    return std::nullopt;
}

std::optional<Interval> Caused::seen_by(Witness witness) const {
    switch (witness) {
        case Witness::clock:
            return clock_ns;
        case Witness::faults:
            return mostly(minor_faults + major_faults);
        case Witness::minor_faults:
            return mostly(minor_faults);
        case Witness::major_faults:
            return mostly(major_faults);
        case Witness::switches:
            return mostly(switches);
        case Witness::moves:
            return Interval{moves, moves + switches};
        case Witness::none:
        case Witness::loop:
            break;
    }
    return std::nullopt;
}

// A chain of loads, each from a line just flushed and in another page, with a store beside it.
Caused Workbench::walk_memory(const Toggle& start, const Toggle& stop) {
    if (!arena_) arena_ = map_pages(arena_pages);
    if (!arena_) return could_not_run(start, stop, "no memory");
    // 1663 is odd and prime to the page count: the walk visits every page, far from the last one.
    constexpr std::size_t stride = 1663;
    const auto line_of = [&](std::size_t page) {
        const std::size_t line = page % (page_bytes / line_bytes);
        return arena_.data() + page * page_bytes + line * line_bytes;
    };
    for (std::size_t page = 0; page < arena_pages; ++page) {
        std::byte* const line = line_of(page);
        const std::size_t next = (page + stride) % arena_pages;
        std::memcpy(line, &next, sizeof next);
        flush_line(line);
    }
    return witnessed(start, stop, [&] {
        std::size_t page = 0;
        for (std::size_t i = 0; i < arena_pages; ++i) {
            volatile std::size_t* const words = reinterpret_cast<std::size_t*>(line_of(page));
            page = words[0];
            words[1] = i;
        }
    });
}

Caused Workbench::run(Workload workload, const Toggle& start, const Toggle& stop) {
    switch (workload) {
        case Workload::nothing:
            return run_loop(start, stop, 1);
        case Workload::loop:
            return run_loop(start, stop, measured_iterations);
        case Workload::branches:
            return witnessed(start, stop, [] { unpredictable_branches(20'000); });
        case Workload::memory:
            return walk_memory(start, stop);
        case Workload::code:
            return call_fresh_code(start, stop);
        case Workload::faults:
            return touch_fresh_pages(start, stop);
        case Workload::switches:
            return sleep_often(start, stop);
        case Workload::moves:
            return move_between_cpus(start, stop);
    }
    return could_not_run(start, stop, "unknown workload");
}

}  // namespace ringside::trust
