// The public budgets: they choose a way of measuring, and put it together with a clock that knows
// about steal.
#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>

#include <ringside/time_budget.h>

#include "accounting/meter.h"
#include "base/error.h"
#include "base/fork.h"

namespace ringside {

namespace {

TimePart stolen_by(const Steal& steal) {
    TimePart part{steal.ns, steal.error_ns, {}, steal.reason};
    if (steal.ns) part.source = "clocks: " + std::string(to_string(steal.method));
    return part;
}

void take_off(std::optional<std::uint64_t>& value, const std::optional<std::uint64_t>& start) {
    if (value && start) *value -= std::min(*value, *start);
}

// The clock was opened a little before the window began.
Times since(Times now, const Times& start) {
    now.real_ns -= start.real_ns;
    take_off(now.cpu_ns, start.cpu_ns);
    take_off(now.occupied_ns, start.occupied_ns);
    take_off(now.steal.ns, start.steal.ns);
    take_off(now.compensated_ns, start.compensated_ns);
    return now;
}

}  // namespace

struct TimeBudget::Impl {
    Impl(Clock steal_clock, accounting::BudgetMeterPtr chosen)
        : clock(std::move(steal_clock)),
          meter(std::move(chosen)),
          opening_began_ns(real_ns()),
          start(clock.read()),
          opening_ns(real_ns() - opening_began_ns) {}

    base::Mutex mutex;  // over all below
    Clock clock;
    accounting::BudgetMeterPtr meter;
    std::uint64_t opening_began_ns;
    Times start;
    std::uint64_t opening_ns;
};

TimeBudget::TimeBudget(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TimeBudget::TimeBudget(TimeBudget&&) noexcept = default;
TimeBudget& TimeBudget::operator=(TimeBudget&&) noexcept = default;
TimeBudget::~TimeBudget() = default;

TimeSplit TimeBudget::read() const {
    const std::lock_guard lock(impl_->mutex);
    const std::uint64_t began_ns = real_ns();
    const Times clock = since(impl_->clock.read(), impl_->start);
    analysis::TimeFacts facts = impl_->meter->read(clock);
    facts.clock = clock;
    facts.stolen = stolen_by(clock.steal);
    if (facts.method == BudgetMethod::kernel_sums) {
        // Sources are read one after the other, while the threads go on.
        facts.lifetime_error_ns += impl_->opening_ns * facts.at_opening;
        facts.lifetime_error_ns += (real_ns() - began_ns) * facts.living;
    }
    return analysis::split_time(facts);
}

struct TimeBudgets::Impl {
    explicit Impl(const BudgetOptions& asked)
        : options(asked), clocks(Clocks::open({{}, asked.allow_bpf, asked.quick})) {}

    // Loaded at the first call; fails as then. Faults are timed if they can be.
    Result<std::shared_ptr<bpf::StateTracer>> tracer();
    Result<accounting::BudgetMeterPtr> make_meter(const clocks::Subject& subject);
    Result<TimeBudget> open(const clocks::Subject& subject,
                            const std::function<Result<Clock>()>& open_clock);

    const BudgetOptions options;
    const base::SysRoot root;
    const Clocks clocks;
    base::Mutex mutex;  // over all below
    std::optional<Result<std::shared_ptr<bpf::StateTracer>>> loaded;
    std::string faults_missing = "page faults were not asked to be timed";
};

Result<std::shared_ptr<bpf::StateTracer>> TimeBudgets::Impl::tracer() {
    const std::lock_guard lock(mutex);
    if (!options.allow_bpf || options.quick) {
        return base::fail(ErrorCode::not_permitted, "BPF was ruled out");
    }
    if (loaded) return *loaded;
    if (options.time_faults) {
        loaded = bpf::StateTracer::load(root, true);
        faults_missing.clear();
        if (*loaded) return *loaded;
        faults_missing = "page faults cannot be timed here: " + loaded->error().what;
    }
    loaded = bpf::StateTracer::load(root, false);
    return *loaded;
}

Result<accounting::BudgetMeterPtr> TimeBudgets::Impl::make_meter(const clocks::Subject& subject) {
    std::string why;
    if (options.only != BudgetMethod::kernel_sums) {
        auto states = tracer();
        auto meter = states ? accounting::make_traced_meter(root, subject, *states, faults_missing)
                            : Result<accounting::BudgetMeterPtr>(states.error());
        if (meter || options.only) return meter;
        why = "not traced: " + meter.error().what;
    }
    return accounting::make_summed_meter(root, subject, why);
}

// What takes long comes first, the meter last: its window shall begin when the caller goes on.
Result<TimeBudget> TimeBudgets::Impl::open(const clocks::Subject& subject,
                                           const std::function<Result<Clock>()>& open_clock) {
    if (options.only != BudgetMethod::kernel_sums) static_cast<void>(tracer());
    auto clock = open_clock();
    if (!clock) return clock.error();
    auto meter = make_meter(subject);
    if (!meter) return meter.error();
    return TimeBudget(std::make_unique<TimeBudget::Impl>(std::move(*clock), std::move(*meter)));
}

TimeBudgets::TimeBudgets(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
TimeBudgets::TimeBudgets(TimeBudgets&&) noexcept = default;
TimeBudgets& TimeBudgets::operator=(TimeBudgets&&) noexcept = default;
TimeBudgets::~TimeBudgets() = default;

TimeBudgets TimeBudgets::open(const BudgetOptions& options) {
    return TimeBudgets(std::make_shared<Impl>(options));
}

Result<TimeBudget> TimeBudgets::thread(int tid) const {
    const auto subject = clocks::find_thread(impl_->root, tid);
    if (!subject) return subject.error();
    return impl_->open(*subject, [&] { return impl_->clocks.thread(tid); });
}

Result<TimeBudget> TimeBudgets::process(int pid, Follow follow) const {
    const auto subject = clocks::find_process(impl_->root, pid, follow);
    if (!subject) return subject.error();
    return impl_->open(*subject, [&] { return impl_->clocks.process(pid, follow); });
}

}  // namespace ringside
