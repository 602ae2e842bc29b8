// A mini-kernel with two threads at EL0 and counters of their own (the paravirtual policy): the
// kernel configures with one hypercall and keeps sums on the shared page; a thread reads its count
// itself, without leaving EL0.
#include "vpmu/threads.h"

#include "support/support.h"
#include "vpmu/vm.h"

namespace ringside::guest_test {

namespace {

constexpr unsigned rounds = 50;
constexpr std::uint64_t counter_0 = 1;

alignas(64) unsigned char page[4096];
vpmu::LogicalControl control;

std::uint64_t read_counter(unsigned index) {
    return index == 0 ? HYP_READ(pmevcntr0_el0) : 0;
}

std::uint64_t short_turn() {
    return spin(1000);
}
std::uint64_t long_turn() {
    return spin(3000);
}

// What the first thread finds when it reads its own counter.
std::uint64_t read_own() {
    const vpmu::PageReader reader(page, sizeof page);
    std::uint64_t count = 0;
    return reader.read_thread_count(0, 0, read_counter, count) ? count : ~std::uint64_t{0};
}

void run_thread(std::uint32_t number, std::uint64_t (*function)()) {
    vpmu_page_vcpu& vcpu = vpmu::vcpu_of(page, 0);
    vpmu_page_thread& thread = vpmu::thread_of(page, number);
    vpmu::thread_in(vcpu, 0, thread, counter_0, read_counter);
    (void)run_as_user(function);
    vpmu::thread_out(vcpu, thread, counter_0, read_counter);
}

bool configure() {
    control.slots = counter_0;
    control.selector[0] = arm::event_instructions | arm::type_not_kernel;
    control.control = arm::pmcr_enable | arm::pmcr_long_cycle;
    const auto address = [](const void* what) { return reinterpret_cast<std::uint64_t>(what); };
    return vpmu::format_page(page, sizeof page, 1, 2, 0) &&
           hypercall(HYPERCALL_PMU_PAGE, address(&vpmu::vcpu_of(page, 0))) == HYPERCALL_OK &&
           hypercall(HYPERCALL_PMU_CONFIGURE, address(&control)) == HYPERCALL_OK;
}

}  // namespace

extern "C" void guest_main() {
    if (!configure()) return print_line("refused");
    for (unsigned round = 0; round < rounds; ++round) {
        run_thread(0, short_turn);
        run_thread(1, long_turn);
    }
    const std::uint64_t first = vpmu::thread_of(page, 0).counter[0].sum;
    const std::uint64_t second = vpmu::thread_of(page, 1).counter[0].sum;
    print_line("first ", first, " second ", second);
    print_line("difference of a turn ", (second - first) / rounds);
    run_thread(0, read_own);
    const std::uint64_t read = user_result;
    print_line("read by itself ", read > first && read < first + 1000 ? "right" : "wrong");
    control.slots = std::uint64_t{1} << 30;  // a counter that is not there
    const auto wrong = reinterpret_cast<std::uint64_t>(&control);
    print_line(hypercall(HYPERCALL_PMU_CONFIGURE, wrong) == HYPERCALL_OK ? "accepted" : "refused");
    const std::uint64_t before = exceptions.count;
    HYP_WRITE(pmcr_el0, 0);
    print_line("exceptions ", exceptions.count - before);
}

}  // namespace ringside::guest_test
