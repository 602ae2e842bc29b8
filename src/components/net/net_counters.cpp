#include "components/net/net_counters.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "components/device_kind.h"
#include "components/net/driver_statistics.h"
#include "session/sampled_counters.h"

namespace ringside::components::net {

namespace {

constexpr std::string_view driver_prefix = "driver:";

// An interface of the set: each is asked once a reading, however many events it has.
struct Source {
    Link link;
    Device device;
    bool counted = false;  // by the kernel
    LinkStats stats{};
    std::optional<DriverStatistics> driver;
    CounterState stats_state = CounterState::absent;
    CounterState driver_state = CounterState::absent;
};

struct Use {
    std::size_t source = 0;
    const Statistic* statistic = nullptr;
    std::size_t driver_index = 0;  // without a statistic
};

class NetCounters final : public session::SampledCounters {
  public:
    NetCounters(std::span<const session::ComponentEvent> events, LinkReaderPtr reader,
                std::vector<Source> sources, std::vector<Use> uses)
        : SampledCounters(events),
          reader_(std::move(reader)),
          sources_(std::move(sources)),
          uses_(std::move(uses)) {}

    std::string explain(std::size_t index) const override {
        const Source& source = sources_[uses_[index].source];
        return fmt::format("{} is {}", source.link.name, source.device.text());
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        for (Source& source : sources_) refresh(source);
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            const Use& use = uses_[i];
            const Source& source = sources_[use.source];
            const bool of_driver = use.statistic == nullptr;
            out[i].state = of_driver ? source.driver_state : source.stats_state;
            if (out[i].state != CounterState::ok) continue;
            out[i].value =
                static_cast<std::int64_t>(of_driver ? source.driver->value(use.driver_index)
                                                    : use.statistic->value(source.stats));
        }
        return {};
    }

    // An interface that is gone, or whose driver counts other things now, reads as absent.
    void refresh(Source& source) {
        const auto state_of = [](const Result<void>& read) {
            return read ? CounterState::ok : CounterState::absent;
        };
        if (source.counted) source.stats_state = state_of(reader_->read(source.link, source.stats));
        if (source.driver) source.driver_state = state_of(source.driver->read());
    }

    LinkReaderPtr reader_;
    std::vector<Source> sources_;
    std::vector<Use> uses_;
};

// Collects the sources of a set.
class Opening {
  public:
    Opening(const base::SysRoot& root, LinkReader& reader, std::optional<bool> virtualized)
        : root_(root), reader_(reader), virtualized_(virtualized) {}

    Result<void> add(const session::ComponentEvent& event) {
        const auto name = parse_event_name(event.name);
        if (!name) return base::fail(ErrorCode::not_found, "no event net:::" + event.name);
        Use use;
        use.source = source_of(std::string(name->interface));
        Source& source = sources_[use.source];
        auto done = name->of_driver ? add_driver(source, name->statistic, use)
                                    : add_statistic(source, name->statistic, use);
        if (done) uses_.push_back(use);
        return done;
    }

    std::vector<Source> take_sources() { return std::move(sources_); }
    std::vector<Use> take_uses() { return std::move(uses_); }

  private:
    std::size_t source_of(const std::string& interface) {
        const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const auto& source) {
            return source.link.name == interface;
        });
        if (found != sources_.end()) return static_cast<std::size_t>(found - sources_.begin());
        Source source;
        source.link.name = interface;
        source.device = identify_device(root_, "/sys/class/net/" + interface, virtualized_);
        sources_.push_back(std::move(source));
        return sources_.size() - 1;
    }

    Result<void> add_statistic(Source& source, std::string_view name, Use& use) {
        use.statistic = find_statistic(name);
        if (use.statistic == nullptr) {
            return base::fail(ErrorCode::not_found,
                              fmt::format("interfaces have no statistic {}", name));
        }
        source.counted = true;
        return reader_.read(source.link, source.stats);
    }

    Result<void> add_driver(Source& source, std::string_view name, Use& use) {
        if (!source.driver) {
            auto driver = DriverStatistics::open(reader_.socket(), source.link.name);
            if (!driver) return driver.error();
            source.driver = std::move(*driver);
        }
        const auto index = source.driver->find(name);
        if (!index) {
            return base::fail(
                ErrorCode::not_found,
                fmt::format("the driver of {} has no statistic {}", source.link.name, name));
        }
        use.driver_index = *index;
        return {};
    }

    const base::SysRoot& root_;
    LinkReader& reader_;
    std::optional<bool> virtualized_;
    std::vector<Source> sources_;
    std::vector<Use> uses_;
};

}  // namespace

std::optional<EventName> parse_event_name(std::string_view name) {
    const auto colon = name.find(':');
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    EventName parsed{name.substr(0, colon), name.substr(colon + 1), false};
    if (parsed.statistic.starts_with(driver_prefix)) {
        parsed.statistic.remove_prefix(driver_prefix.size());
        parsed.of_driver = true;
    }
    if (parsed.statistic.empty()) return std::nullopt;
    return parsed;
}

Result<session::CountersPtr> open_counters(const base::SysRoot& root, LinkReaderPtr reader,
                                           std::span<const session::ComponentEvent> events,
                                           std::optional<bool> virtualized) {
    Opening opening(root, *reader, virtualized);
    for (const auto& event : events) {
        if (auto added = opening.add(event); !added) return added.error();
    }
    return session::CountersPtr(std::make_unique<NetCounters>(
        events, std::move(reader), opening.take_sources(), opening.take_uses()));
}

}  // namespace ringside::components::net
