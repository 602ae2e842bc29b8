#include <ringside/time_budget.h>

namespace ringside {

std::string_view to_string(BudgetMethod method) {
    return method == BudgetMethod::bpf_sched_states ? "bpf_sched_states" : "kernel_sums";
}

}  // namespace ringside
