#include <cerrno>
#include <map>
#include <mutex>

#include <linux/perf_event.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/fork.h"
#include "components/cpu/counters.h"
#include "components/cpu/cpu.h"
#include "components/cpu/resolve.h"
#include "components/cpu/witness.h"
#include "events/native.h"
#include "trust/listing.h"
#include "trust/observe.h"

namespace ringside::components {

namespace {

using cpu::CountedEvent;
using session::ComponentEvent;

class CpuComponent final : public session::Component {
  public:
    explicit CpuComponent(const base::SysRoot& root)
        : root_(root), resolver_(root), witness_(root) {}

    std::string_view name() const override { return "cpu"; }
    std::string_view description() const override {
        return "hardware, cache, raw and software events and tracepoints of the kernel's perf";
    }
    session::Availability availability() const override;
    std::vector<ComponentEvent> events() const override;
    Result<ComponentEvent> find(std::string_view name) const override;
    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override;

  private:
    base::SysRoot root_;
    cpu::Resolver resolver_;
    cpu::Witness witness_;
    mutable base::Mutex mutex_;  // over what was found so far
    mutable std::map<std::string, std::uint64_t, std::less<>> ids_;
    mutable std::vector<CountedEvent> found_;
};

// Once, on a place where it may be opened. Opening a tracepoint or probe patches the kernel's code
// and takes tens of milliseconds, so that is left to the set.
Result<void> try_to_open(const CountedEvent& counted) {
    const cpu::Part& part = counted.parts.front();
    if (part.event.code.type == PERF_TYPE_TRACEPOINT ||
        part.event.kind == model::EventKind::probe) {
        return {};
    }
    if (!part.cpus.empty() && counted.parts.size() == 1) {
        const auto opened = perf::EventFd::open(part.event, {-1, part.cpus.front()});
        if (opened) return {};
    }
    const auto opened = trust::open_as_permitted(part.event, trust::Level::any);
    return opened.fd ? Result<void>() : Result<void>(opened.fd.error());
}

session::Availability CpuComponent::availability() const {
    if (const auto clock = find("task-clock"); !clock) return {false, clock.error().what};
    if (const auto cycles = find("cycles"); !cycles) {
        return {true, "no hardware events: " + cycles.error().what};
    }
    return {true, {}};
}

std::vector<ComponentEvent> CpuComponent::events() const {
    std::vector<ComponentEvent> all;
    for (const auto& listed : trust::list_events(root_, witness_.machine())) {
        if (listed.state != CounterState::ok) continue;
        all.push_back({listed.event.name, std::string(to_string(listed.event.kind)), {}, false, 0});
    }
    // libpfm knows the processor by its model alone; what it lists may not be there.
    if (!find("cycles") && !find("instructions")) return all;
    for (auto& native : events::native_events()) {
        if (!find(native.name)) continue;
        all.push_back({std::move(native.name), std::move(native.description), {}, false, 0});
    }
    return all;
}

Result<ComponentEvent> CpuComponent::find(std::string_view name) const {
    ComponentEvent event{std::string(name), {}, {}, false, 0};
    const std::lock_guard lock(mutex_);
    if (const auto known = ids_.find(name); known != ids_.end()) {
        event.id = known->second;
        return event;
    }
    auto counted = resolver_.resolve(name);
    if (!counted) return counted.error();
    if (auto opens = try_to_open(*counted); !opens) return opens.error();
    const model::Event& first = counted->parts.front().event;
    if (first.kind == model::EventKind::architectural &&
        trust::advertised(witness_.machine(), first) == false) {
        // As the kernel would say if it did not open every code.
        return Error{
            ErrorCode::not_found, ENOENT, event.name + " opens, but the PMU does not list it", {}};
    }
    event.id = found_.size();
    ids_.emplace(event.name, event.id);
    found_.push_back(std::move(*counted));
    return event;
}

Result<session::CountersPtr> CpuComponent::open(std::span<const ComponentEvent> events,
                                                const SetOptions& options) const {
    cpu::Recipe recipe{root_, {}, options, {}, &witness_};
    {
        const std::lock_guard lock(mutex_);
        for (const auto& event : events) {
            RINGSIDE_ASSERT(event.id < found_.size());
            recipe.events.push_back(found_[event.id]);
        }
    }
    return cpu::CpuCounters::open(std::move(recipe));
}

}  // namespace

session::ComponentPtr make_cpu(const base::SysRoot& root) {
    return std::make_unique<CpuComponent>(root);
}

}  // namespace ringside::components
