#include "components/kvm/kvm.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"
#include "base/fork.h"
#include "components/kvm/guest.h"
#include "components/kvm/host.h"
#include "components/lookup.h"
#include "platform/machine.h"
#include "session/sampled_counters.h"

namespace ringside::components::kvm {

namespace {

using session::ComponentEvent;

// An event's source, and where there is one, another that must move when it does.
struct Opened {
    SourcePtr source;
    SourcePtr witness;
    std::optional<std::int64_t> witness_start;
};

class KvmCounters final : public session::SampledCounters {
  public:
    KvmCounters(std::span<const ComponentEvent> events, std::vector<Opened> sources)
        : SampledCounters(events), sources_(std::move(sources)), dead_(events.size()) {}

    Result<void> start() override {
        for (Opened& opened : sources_) {
            opened.witness_start = opened.witness ? opened.witness->read() : std::nullopt;
        }
        return SampledCounters::start();
    }

    // On some backends of KVM the tracepoints exist and never fire; KVM's own statistics know.
    void judge(std::span<Reading> readings) override {
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const Opened& opened = sources_[i];
            if (!opened.witness_start || readings[i].value != 0) continue;
            const auto now = opened.witness->read();
            dead_[i] = now && *now > *opened.witness_start;
            if (dead_[i]) readings[i].state = CounterState::dead;
        }
    }

    std::string explain(std::size_t index) const override {
        return dead_[index] ? "the tracepoint did not fire while KVM counted exits" : "";
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const auto value = sources_[i].source->read();
            out[i].value = value.value_or(0);
            if (!value) out[i].state = CounterState::absent;
        }
        return {};
    }

    std::vector<Opened> sources_;
    std::vector<bool> dead_;
};

class KvmComponent final : public session::Component {
  public:
    explicit KvmComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "kvm"; }
    std::string_view description() const override {
        return "KVM: what a guest sees of its host, and what a host counts for its guests";
    }

    session::Availability availability() const override {
        const auto machine = platform::describe(root_);
        const bool guest = machine.hypervisor.name == "kvm";
        const bool host = machine.kvm_host.device.value == true;
        std::vector<std::string> remarks;
        if (guest) remarks.push_back("guest: " + describe_guest(machine));
        if (host) {
            remarks.push_back(
                fmt::format("host: {}", machine.kvm_host.backend.value.value_or("/dev/kvm")));
        }
        if (!guest && !host) return {false, "neither a guest of KVM nor a host with /dev/kvm"};
        return {true, fmt::format("{}", fmt::join(remarks, "; "))};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> all;
        for (auto& offer : list_guest_events(root_, platform::describe(root_))) {
            all.push_back(std::move(offer.event));
        }
        for (auto& offer : list_host_events(root_, catalogue())) {
            all.push_back(std::move(offer.event));
        }
        return all;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        auto offer = find_offer(name);
        if (!offer) return offer.error();
        return offer->event;
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (auto fits = refuse_parts_of_machine(options, "kvm"); !fits) return fits.error();
        std::vector<Opened> sources;
        for (const auto& event : events) {
            const auto offer = find_offer(event.name);
            if (!offer) return offer.error();
            auto source = offer->open();
            if (!source) return source.error();
            sources.push_back({std::move(*source), open_witness(event.name), {}});
        }
        return session::CountersPtr(std::make_unique<KvmCounters>(events, std::move(sources)));
    }

  private:
    Result<Offer> find_offer(std::string_view name) const {
        if (!name.starts_with("guest:")) return find_host_event(root_, catalogue(), name);
        for (auto& offer : list_guest_events(root_, platform::describe(root_))) {
            if (offer.event.name == name) return std::move(offer);
        }
        return base::fail(ErrorCode::not_found, fmt::format("no event kvm:::{} here", name),
                          "ringside list kvm shows those there are");
    }

    // KVM's own count of exits, for the tracepoint of them.
    SourcePtr open_witness(std::string_view name) const {
        const auto event = parse_host_event(name);
        if (!event || !event->tracepoint || event->name != "kvm_exit") return nullptr;
        const auto prefix = name.substr(0, name.find(':'));
        const auto offer = find_host_event(root_, catalogue(), fmt::format("{}:exits", prefix));
        auto source = offer ? offer->open() : Result<SourcePtr>(offer.error());
        return source ? std::move(*source) : nullptr;
    }

    const StatsCatalogue* catalogue() const {
        const base::NoFork no_fork;
        std::call_once(once_, [this] {
            if (!root_.is_live()) return;
            if (auto learned = learn_catalogue()) catalogue_ = std::move(*learned);
        });
        return catalogue_ ? &*catalogue_ : nullptr;
    }

    base::SysRoot root_;
    mutable std::once_flag once_;
    mutable std::optional<StatsCatalogue> catalogue_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<KvmComponent>(root);
}

}  // namespace ringside::components::kvm
