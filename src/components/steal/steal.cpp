#include "components/steal/steal.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/text.h"
#include "clocks/environment.h"
#include "components/lookup.h"
#include "components/steal/steal_counters.h"
#include "platform/machine.h"
#include "proc/cpus.h"

namespace ringside::components::steal {

namespace {

using session::ComponentEvent;

constexpr std::string_view papi_prefix = "stealtime:::";

// The number behind "CPU".
std::optional<int> cpu_number(std::string_view name) {
    if (!name.starts_with("CPU")) return std::nullopt;
    const auto number = base::parse_u64(name.substr(3));
    if (!number || *number > 65536) return std::nullopt;
    return static_cast<int>(*number);
}

// "stealtime:::CPU1" is the first CPU.
std::string own_name(std::string_view name) {
    if (!name.starts_with(papi_prefix)) return std::string(name);
    name.remove_prefix(papi_prefix.size());
    const auto cpu = cpu_number(name);
    return cpu ? fmt::format("CPU{}", *cpu - 1) : std::string(name);
}

ComponentEvent cpu_event(int cpu) {
    return {fmt::format("CPU{}", cpu), fmt::format("time stolen from CPU {}", cpu), "ns", false,
            first_cpu_id + static_cast<std::uint64_t>(cpu)};
}

class StealComponent final : public session::Component {
  public:
    explicit StealComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "steal"; }
    std::string_view description() const override {
        return "time the hypervisor gave to others, per thread, process, CPU and in all";
    }

    session::Availability availability() const override {
        const auto machine = platform::describe(root_);
        if (machine.hypervisor.virtualized.value == false) {
            return {true, "not a virtual machine: nothing is stolen"};
        }
        const auto& reported = machine.clock.steal_reported;
        const auto evidence =
            fmt::format("{}: {}", reported.evidence.source, reported.evidence.text);
        if (reported.value == false) {
            return {false, fmt::format("the hypervisor does not report steal ({})", evidence)};
        }
        return {true, reported.value ? "" : evidence};
    }

    std::vector<ComponentEvent> events() const override {
        if (!availability().usable) return {};
        std::vector<ComponentEvent> all{
            {"THREAD", "time stolen while the thread was on a CPU", "ns", false, thread_id},
            {"PROCESS", "time stolen while a thread of the process was on a CPU", "ns", false,
             process_id},
            {"TOTAL", "time stolen from all CPUs", "ns", false, total_id}};
        for (const int cpu : proc::online_cpus(root_).value_or({})) all.push_back(cpu_event(cpu));
        return all;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        return find_event(events(), "steal", own_name(name));
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (const auto can = availability(); !can.usable) {
            return base::fail(ErrorCode::unsupported, can.reason);
        }
        return open_counters(environment(), events, options);
    }

  private:
    // Finding out how steal can be measured takes some 100 ms, so it waits until it is needed.
    std::shared_ptr<clocks::Environment> environment() const {
        const std::lock_guard lock(mutex_);
        if (!environment_) {
            ClockOptions options;
            options.allow_bpf = root_.is_live();
            environment_ = std::make_shared<clocks::Environment>(root_, options);
        }
        return environment_;
    }

    base::SysRoot root_;
    mutable base::Mutex mutex_;
    mutable std::shared_ptr<clocks::Environment> environment_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<StealComponent>(root);
}

}  // namespace ringside::components::steal
