// What one read of a soft counter costs, in the program that runs under QEMU: a plain load from the
// page, a thread's own count, and the same through an event set.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include <ringside/event_set.h>

#include "abi/soft_counts.h"
#include "bench/measure.h"
#include "components/soft/page.h"

using namespace ringside;

int main() {
    const char* folder = std::getenv(SOFT_FOLDER_VARIABLE);
    if (folder == nullptr) return std::puts("not under the soft PMU"), 2;
    const auto page = components::soft::OwnPage::map(folder);
    if (!page) return std::puts(page.error().what.c_str()), 1;
    const auto thread = page->find_thread(::gettid());
    if (!thread) return std::puts(thread.error().what.c_str()), 1;
    const auto session = Session::open();
    EventSet set = session.event_set();
    if (!set.add("soft:::INSTRUCTIONS") || !set.start()) return 1;

    std::uint64_t value = 0;
    std::int64_t counted = 0;
    bool failed = false;
    constexpr int calls = 2000;
    const double clock = bench::median_ns([&] { static_cast<void>(real_ns()); }, calls);
    const auto row = [&](const char* name, auto read) {
        bench::print_row(name, bench::median_ns(read, calls), "clock_gettime(), emulated", clock);
    };
    bench::print_heading();
    row("a thread's own count",
        [&] { failed = failed || !page->read_thread(*thread, SOFT_INSTRUCTIONS, value); });
    row("the process's count",
        [&] { failed = failed || !page->read_process(SOFT_INSTRUCTIONS, value); });
    row("a thread's, through an event set",
        [&] { failed = failed || !set.read(std::span(&counted, 1)); });
    return failed ? 1 : 0;
}
