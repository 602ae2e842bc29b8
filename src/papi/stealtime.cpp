#include "papi/stealtime.h"

#include "base/error.h"
#include "base/text.h"

namespace ringside::papi {

namespace {

using session::ComponentEvent;

constexpr std::int64_t ns_per_us = 1000;

// "CPU0" of ours is PAPI's "CPU1"; events that PAPI does not have are left out.
std::string papi_name(std::string_view own) {
    if (own == "TOTAL") return "TOTAL";
    if (!own.starts_with("CPU")) return {};
    const auto cpu = base::parse_u64(own.substr(3));
    return cpu ? "CPU" + std::to_string(*cpu + 1) : std::string();
}

class Microseconds final : public session::Counters {
  public:
    explicit Microseconds(session::CountersPtr nanoseconds)
        : nanoseconds_(std::move(nanoseconds)) {}

    Result<void> start() override { return nanoseconds_->start(); }
    Result<void> stop() override { return nanoseconds_->stop(); }
    Result<void> reset() override { return nanoseconds_->reset(); }
    Result<void> read(std::span<Reading> out) override {
        auto done = nanoseconds_->read(out);
        for (auto& reading : out) reading.value /= ns_per_us;
        return done;
    }
    Result<void> read_values(std::span<std::int64_t> out) override {
        auto done = nanoseconds_->read_values(out);
        for (auto& value : out) value /= ns_per_us;
        return done;
    }

  private:
    session::CountersPtr nanoseconds_;
};

class Stealtime final : public session::Component {
  public:
    explicit Stealtime(const session::Component& steal) : steal_(steal) {}

    std::string_view name() const override { return "stealtime"; }
    std::string_view description() const override { return "time stolen by the hypervisor"; }
    session::Availability availability() const override { return steal_.availability(); }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> events;
        for (auto& event : steal_.events()) {
            if (const auto name = papi_name(event.name); !name.empty()) {
                events.push_back(in_microseconds(event, name));
            }
        }
        return events;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        for (auto& event : events()) {
            if (event.name == name) return event;
        }
        return base::fail(ErrorCode::not_found,
                          "the component stealtime has no event " + std::string(name));
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        auto counters = steal_.open(events, options);
        if (!counters) return counters.error();
        return session::CountersPtr(new Microseconds(std::move(*counters)));
    }

  private:
    static ComponentEvent in_microseconds(ComponentEvent event, std::string name) {
        event.name = std::move(name);
        event.unit = "us";
        return event;
    }

    const session::Component& steal_;
};

}  // namespace

session::ComponentPtr make_stealtime(const session::Component& steal) {
    return std::make_unique<Stealtime>(steal);
}

}  // namespace ringside::papi
