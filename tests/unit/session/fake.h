// A component whose values tests set by hand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "session/component.h"

namespace ringside::session {

// What the fake counts, and what was done with it; outlives the component.
struct FakeWorld {
    std::map<std::string, Reading, std::less<>> readings;
    std::string refuses_to_open;  // an event that is found but cannot be opened
    bool refuses_to_start = false;
    int open_counters = 0;
    std::vector<std::string> log;  // "a start", "a stop", ...
};

class FakeCounters final : public Counters {
  public:
    FakeCounters(FakeWorld& world, std::string name, std::span<const ComponentEvent> events)
        : world_(world), name_(std::move(name)), events_(events.begin(), events.end()) {
        ++world_.open_counters;
    }
    ~FakeCounters() override { --world_.open_counters; }

    Result<void> start() override {
        if (world_.refuses_to_start) return base::fail(ErrorCode::io, "it does not start");
        return log("start");
    }
    Result<void> stop() override { return log("stop"); }
    Result<void> reset() override { return log("reset"); }
    Result<void> read(std::span<Reading> out) override {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = world_.readings[events_[i].name];
        return {};
    }
    void judge(std::span<Reading> readings) override {
        for (auto& reading : readings) {
            if (reading.value == 0) reading.state = CounterState::dead;
        }
    }
    std::string explain(std::size_t index) const override {
        return "made up " + events_[index].name;
    }

  private:
    Result<void> log(const char* what) {
        world_.log.push_back(name_ + " " + what);
        return {};
    }

    FakeWorld& world_;
    std::string name_;
    std::vector<ComponentEvent> events_;
};

class FakeComponent final : public Component {
  public:
    FakeComponent(FakeWorld& world, std::string name) : world_(world), name_(std::move(name)) {}

    std::string_view name() const override { return name_; }
    std::string_view description() const override { return "not real"; }
    Availability availability() const override { return {true, "made up"}; }
    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> all;
        for (const auto& [event, reading] : world_.readings)
            all.push_back({event, {}, {}, false, 0});
        return all;
    }
    Result<ComponentEvent> find(std::string_view name) const override {
        if (!world_.readings.contains(name)) {
            return base::fail(ErrorCode::not_found, "unknown event: " + std::string(name));
        }
        return ComponentEvent{std::string(name), "about " + std::string(name), "things", false, 0};
    }
    Result<CountersPtr> open(std::span<const ComponentEvent> events,
                             const SetOptions&) const override {
        for (const auto& event : events) {
            if (event.name == world_.refuses_to_open) {
                return base::fail(ErrorCode::busy, "cannot open " + event.name);
            }
        }
        return CountersPtr(std::make_unique<FakeCounters>(world_, name_, events));
    }

  private:
    FakeWorld& world_;
    std::string name_;
};

}  // namespace ringside::session
