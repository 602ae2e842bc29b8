// The public clocks: they choose a way of measuring, and keep what it gives monotone.
#include <algorithm>
#include <mutex>

#include <ringside/clocks.h>

#include "base/fork.h"
#include "clocks/cpu_steal.h"
#include "clocks/environment.h"

namespace ringside {

namespace {

void keep_growing(std::optional<std::uint64_t>& value, const std::optional<std::uint64_t>& last) {
    if (last && value) value = std::max(*value, *last);
    if (last && !value) value = last;
}

}  // namespace

struct Clock::Impl {
    explicit Impl(clocks::MeterPtr chosen) : meter(std::move(chosen)) {}

    const std::uint64_t start_ns = real_ns();
    base::Mutex mutex;  // over all below
    clocks::MeterPtr meter;
    Times last;
};

Clock::Clock(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Clock::Clock(Clock&&) noexcept = default;
Clock& Clock::operator=(Clock&&) noexcept = default;
Clock::~Clock() = default;

Times Clock::read() const {
    const std::lock_guard lock(impl_->mutex);
    Times& last = impl_->last;
    const auto measured = impl_->meter->read();
    last.real_ns = real_ns() - impl_->start_ns;
    if (!measured) return last;  // gone: what it had used
    Times now{last.real_ns, measured->cpu_ns, measured->occupied_ns, measured->steal, {}};
    keep_growing(now.cpu_ns, last.cpu_ns);
    keep_growing(now.occupied_ns, last.occupied_ns);
    keep_growing(now.steal.ns, last.steal.ns);
    if (now.occupied_ns && now.steal.ns) {
        now.steal.ns = std::min(*now.steal.ns, *now.occupied_ns);
        now.compensated_ns = *now.occupied_ns - *now.steal.ns;
        keep_growing(now.compensated_ns, last.compensated_ns);
    }
    last = now;
    return now;
}

struct CpuStealClock::Impl {
    explicit Impl(clocks::CpuStealMeterPtr chosen) : meter(std::move(chosen)) {}

    base::Mutex mutex;
    clocks::CpuStealMeterPtr meter;
};

CpuStealClock::CpuStealClock(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CpuStealClock::CpuStealClock(CpuStealClock&&) noexcept = default;
CpuStealClock& CpuStealClock::operator=(CpuStealClock&&) noexcept = default;
CpuStealClock::~CpuStealClock() = default;

Result<MachineSteal> CpuStealClock::read() const {
    const std::lock_guard lock(impl_->mutex);
    auto cpus = impl_->meter->read();
    if (!cpus) return cpus.error();
    return clocks::sum_up(*cpus);
}

struct Clocks::Impl {
    explicit Impl(const ClockOptions& options) : environment(base::SysRoot(), options) {}
    clocks::Environment environment;
};

Clocks::Clocks(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Clocks::Clocks(Clocks&&) noexcept = default;
Clocks& Clocks::operator=(Clocks&&) noexcept = default;
Clocks::~Clocks() = default;

Clocks Clocks::open(const ClockOptions& options) {
    return Clocks(std::make_shared<Impl>(options));
}

Result<Clock> Clocks::thread(int tid) const {
    auto& environment = impl_->environment;
    const auto subject = clocks::find_thread(environment.root(), tid);
    if (!subject) return subject.error();
    return Clock(std::make_unique<Clock::Impl>(environment.make_meter(*subject)));
}

Result<Clock> Clocks::process(int pid, Follow follow) const {
    auto& environment = impl_->environment;
    const auto subject = clocks::find_process(environment.root(), pid, follow);
    if (!subject) return subject.error();
    return Clock(std::make_unique<Clock::Impl>(environment.make_meter(*subject)));
}

Result<CpuStealClock> Clocks::cpu_steal() const {
    auto meter = impl_->environment.make_cpu_meter();
    if (!meter) return meter.error();
    return CpuStealClock(std::make_unique<CpuStealClock::Impl>(std::move(*meter)));
}

StealAccounting Clocks::steal_accounting() const {
    return impl_->environment.accounting();
}

std::string_view to_string(StealMethod method) {
    switch (method) {
        case StealMethod::not_virtual:
            return "not_virtual";
        case StealMethod::cpu_time_excludes_steal:
            return "cpu_time_excludes_steal";
        case StealMethod::bpf_sched_switch:
            return "bpf_sched_switch";
        case StealMethod::cpu_share:
            return "cpu_share";
        case StealMethod::cpu_counter:
            return "cpu_counter";
        case StealMethod::proc_stat:
            return "proc_stat";
        case StealMethod::none:
            break;
    }
    return "none";
}

std::string_view to_string(StealAccounting::Answer answer) {
    switch (answer) {
        case StealAccounting::Answer::excludes:
            return "excludes";
        case StealAccounting::Answer::includes:
            return "includes";
        case StealAccounting::Answer::undetermined:
            break;
    }
    return "undetermined";
}

}  // namespace ringside
