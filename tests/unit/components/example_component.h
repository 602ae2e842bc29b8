// The component that docs/components.md walks through. The page shows this file's parts; a test
// compiles it, uses it, and compares.
#pragma once

#include "components/lookup.h"
#include "components/number_file.h"
#include "session/sampled_counters.h"

namespace ringside::components::entropy {

// [counters]
class EntropyCounters final : public session::SampledCounters {
  public:
    EntropyCounters(const base::SysRoot& root, std::span<const session::ComponentEvent> events)
        : SampledCounters(events) {
        for (const auto& event : events) {
            files_.emplace_back(root, "/proc/sys/kernel/random/" + event.name);
        }
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const auto value = files_[i].read();
            out[i].value = static_cast<std::int64_t>(value.value_or(0));
            if (!value) out[i].state = CounterState::absent;
        }
        return {};
    }

    std::vector<NumberFile> files_;
};
// [counters]

// [component]
class EntropyComponent final : public session::Component {
  public:
    explicit EntropyComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "entropy"; }
    std::string_view description() const override { return "the kernel's random numbers"; }

    session::Availability availability() const override {
        if (!events().empty()) return {true, ""};
        return {false, "this kernel shows no /proc/sys/kernel/random"};
    }

    std::vector<session::ComponentEvent> events() const override {
        std::vector<session::ComponentEvent> all;
        for (const char* file : {"entropy_avail", "poolsize"}) {
            if (!root_.exists(std::string("/proc/sys/kernel/random/") + file)) continue;
            all.push_back({file, "bits of entropy", "bits", true, 0});
        }
        return all;
    }

    Result<session::ComponentEvent> find(std::string_view name) const override {
        return find_event(events(), "entropy", name);
    }

    Result<session::CountersPtr> open(std::span<const session::ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (auto fits = refuse_parts_of_machine(options, "entropy"); !fits) return fits.error();
        return session::CountersPtr(std::make_unique<EntropyCounters>(root_, events));
    }

  private:
    base::SysRoot root_;
};

inline session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<EntropyComponent>(root);
}
// [component]

}  // namespace ringside::components::entropy
