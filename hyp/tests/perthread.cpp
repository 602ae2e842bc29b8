// Small programs as threads of a mini-kernel, each with a counter of its own, in the ways of
// perfctr-xen (VEE 2011): accumulate mode, with a hypercall at every switch or only when something
// changed, and interrupt mode. Without a hypervisor the kernel owns the counter and does the same
// sums, which is what the others are compared with.
#include "support/support.h"
#include "vpmu/threads.h"
#include "vpmu/vm.h"

namespace ringside::guest_test {

namespace {

constexpr unsigned turns = 50;
constexpr std::uint64_t period = 10'000;
constexpr std::uint64_t counter_0 = 1;
constexpr std::uint64_t events = arm::event_instructions | arm::type_not_kernel;

std::uint64_t loop() {
    return spin(2000);
}

std::uint64_t memory() {
    static volatile std::uint64_t words[512];
    for (volatile std::uint64_t& word : words) word = word + 1;
    return words[0];
}

std::uint64_t sort() {
    static std::uint32_t values[64];
    std::uint32_t random = 1;
    for (std::uint32_t& value : values) value = random = random * 1664525 + 1013904223;
    for (unsigned i = 1; i < 64; ++i) {
        for (unsigned j = i; j > 0 && values[j - 1] > values[j]; --j) {
            const std::uint32_t larger = values[j - 1];
            values[j - 1] = values[j];
            values[j] = larger;
        }
    }
    return values[0];
}

[[gnu::noinline]] std::uint64_t fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
std::uint64_t calls() {
    return fibonacci(12);
}

struct Thread {
    const char* name;
    std::uint64_t (*turn)();
    std::uint64_t left = period;  // interrupt mode: events to its next sample
    std::uint64_t samples = 0;
};
constexpr unsigned thread_count = 4;
Thread threads[thread_count] = {
    {"loop", loop}, {"memory", memory}, {"sort", sort}, {"calls", calls}};

enum class Mode { always, changed, interrupt };

alignas(64) unsigned char page[8192];
vpmu::LogicalControl control;
bool bare;
std::uint64_t hypercalls;
Thread* running;
const vpmu::PageReader* reader;

// Counter 0 is all there is. Not a function, so that reading a count is one piece of code.
constexpr auto read_counter = [](unsigned) { return HYP_READ(pmevcntr0_el0); };

std::uint64_t ask(std::uint64_t function, const void* what) {
    ++hypercalls;
    return hypercall(function, reinterpret_cast<std::uint64_t>(what));
}

void configure(std::uint64_t sampling, std::uint64_t left) {
    control.slots = counter_0;
    control.sampling = sampling;
    control.selector[0] = events;
    control.control = arm::pmcr_enable | arm::pmcr_long_cycle;
    control.value[0] = static_cast<std::uint32_t>(0 - left);
    if (!bare && ask(HYPERCALL_PMU_CONFIGURE, &control) != HYPERCALL_OK) print_line("refused");
}

// This kernel owns the counter: its value is the vCPU's count.
void configure_bare(vpmu_page_vcpu& vcpu) {
    stop_pmu();
    hyp::write_event_counter(0, 0);
    hyp::write_event_type(0, events);
    HYP_WRITE(pmcntenset_el0, counter_0);
    HYP_WRITE(pmuserenr_el0, arm::user_enable | arm::user_events);
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    hyp::instruction_barrier();
    vcpu.active = counter_0;
    vcpu.counter[0].width_bits = 32;
}

// 32 bits of the counter are the events since it overflowed.
void take_sample() {
    ++running->samples;
    configure(counter_0, period - static_cast<std::uint32_t>(read_counter(0)));
}

std::uint64_t left_to_sample() {
    return static_cast<std::uint32_t>(0 - read_counter(0));
}

void run_thread(unsigned number, Mode mode) {
    running = &threads[number];
    if (mode == Mode::always) configure(0, 0);
    if (mode == Mode::interrupt) configure(counter_0, running->left);
    vpmu_page_vcpu& vcpu = vpmu::vcpu_of(page, 0);
    vpmu_page_thread& thread = vpmu::thread_of(page, number);
    vpmu::thread_in(vcpu, 0, thread, counter_0, read_counter);
    (void)run_as_user(running->turn);
    vpmu::thread_out(vcpu, thread, counter_0, read_counter);
    if (mode == Mode::interrupt) running->left = left_to_sample();
}

void run_all(const char* name, Mode mode) {
    std::uint64_t before[thread_count] = {};
    for (unsigned i = 0; i < thread_count; ++i) before[i] = vpmu::thread_of(page, i).counter[0].sum;
    hypercalls = 0;
    configure(0, 0);
    for (unsigned turn = 0; turn < turns; ++turn) {
        for (unsigned i = 0; i < thread_count; ++i) run_thread(i, mode);
    }
    for (unsigned i = 0; i < thread_count; ++i) {
        const std::uint64_t counted = vpmu::thread_of(page, i).counter[0].sum - before[i];
        print_line("count mode=", name, " thread=", threads[i].name, " events=", counted,
                   " samples=", threads[i].samples);
    }
    print_line("cost mode=", name, " switches=", turns * thread_count, " hypercalls=", hypercalls);
}

// From one reading of its own count to the next, in a thread.
std::uint64_t read_own_twice() {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    const bool read = reader->read_thread_count(0, 0, read_counter, first) &&
                      reader->read_thread_count(0, 0, read_counter, second);
    return read ? second - first : 0;
}

void read_cost() {
    const vpmu::PageReader own(page, sizeof page);
    reader = &own;
    configure(0, 0);
    threads[0].turn = read_own_twice;
    run_thread(0, Mode::changed);
    print_line("read instructions=", user_result);
}

}  // namespace

extern "C" void guest_main() {
    if (!vpmu::format_page(page, sizeof page, 1, thread_count, 0)) return print_line("no room");
    vpmu_page_vcpu& vcpu = vpmu::vcpu_of(page, 0);
    bare = ask(HYPERCALL_PMU_PAGE, &vcpu) != HYPERCALL_OK;
    if (bare) {
        configure_bare(vcpu);
        run_all("native", Mode::changed);
    } else {
        enable_interrupt(hyp::platform::pmu_interrupt);
        pmu_handler = take_sample;
        run_all("always", Mode::always);
        run_all("changed", Mode::changed);
        run_all("interrupt", Mode::interrupt);
    }
    read_cost();
}

}  // namespace ringside::guest_test
