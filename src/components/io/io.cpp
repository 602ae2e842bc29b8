#include "components/io/io.h"

#include <algorithm>

#include "base/error.h"
#include "components/io/events.h"
#include "components/io/sources.h"
#include "platform/permissions.h"

namespace ringside::components::io {

namespace {

using session::ComponentEvent;

constexpr std::string_view papi_prefix = "appio:::";

class IoCounters final : public session::Counters {
  public:
    IoCounters(std::span<const ComponentEvent> events, std::unique_ptr<Source> source)
        : source_(std::move(source)), last_(events.size()) {
        for (const auto& event : events) {
            formulas_.emplace_back(event);
            const auto& words = formulas_.back().words();
            words_.insert(words_.end(), words.begin(), words.end());
            needs_time_ = needs_time_ || formulas_.back().needs_time();
        }
        base_.resize(words_.size());
        now_.resize(words_.size());
    }

    Result<void> start() override {
        std::fill(last_.begin(), last_.end(), Reading{});
        running_ = source_->read(words_, base_);
        if (!running_) return base::fail(ErrorCode::not_found, "the thread measured has ended");
        return {};
    }
    Result<void> stop() override {
        sample();
        running_ = false;
        return {};
    }
    Result<void> reset() override {
        if (running_) return start();
        std::fill(last_.begin(), last_.end(), Reading{});
        return {};
    }
    Result<void> read(std::span<Reading> out) override {
        sample();
        std::copy(last_.begin(), last_.end(), out.begin());
        return {};
    }
    Result<void> read_values(std::span<std::int64_t> out) override {
        sample();
        std::transform(last_.begin(), last_.end(), out.begin(),
                       [](const Reading& reading) { return reading.value; });
        return {};
    }

  private:
    // A thread that has ended keeps its last values, and nobody adds to them.
    void sample() {
        if (!running_) return;
        if (!source_->read(words_, now_)) {
            for (auto& reading : last_) reading.state = CounterState::absent;
            return;
        }
        const double ns_per_tick = needs_time_ ? source_->ns_per_tick() : 1;
        for (std::size_t i = 0; i < now_.size(); ++i) now_[i] -= base_[i];
        std::span<const io_word> rest = now_;
        for (std::size_t i = 0; i < formulas_.size(); ++i) {
            const std::size_t used = formulas_[i].words().size();
            last_[i].value = formulas_[i].value(rest.first(used), ns_per_tick);
            rest = rest.subspan(used);
        }
    }

    std::unique_ptr<Source> source_;
    std::vector<Formula> formulas_;
    std::vector<WordIndex> words_;  // of all formulas, one after the other
    std::vector<io_word> base_;
    std::vector<io_word> now_;
    std::vector<Reading> last_;
    bool needs_time_ = false;
    bool running_ = false;
};

class IoComponent final : public session::Component {
  public:
    explicit IoComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "io"; }
    std::string_view description() const override {
        return "application I/O: bytes, calls, errors and time, per thread and process";
    }

    session::Availability availability() const override {
        if (Interposer::find()) return {true, ""};
        const auto permissions = platform::read_permissions(root_);
        const bool bpf = permissions.has(platform::Capability::sys_admin) ||
                         (permissions.has(platform::Capability::bpf) &&
                          permissions.has(platform::Capability::perfmon));
        if (bpf) return {true, "of other processes only; for this one " + how_to_preload()};
        return {false, "nothing counts this process's I/O: " + how_to_preload() +
                           "; other processes need CAP_BPF and CAP_PERFMON"};
    }

    std::vector<ComponentEvent> events() const override { return all_events(); }

    Result<ComponentEvent> find(std::string_view name) const override {
        if (name.starts_with(papi_prefix)) name.remove_prefix(papi_prefix.size());
        auto events = all_events();
        const auto found = std::find_if(events.begin(), events.end(),
                                        [&](const auto& event) { return event.name == name; });
        if (found == events.end()) {
            return base::fail(ErrorCode::not_found,
                              "the io component has no event " + std::string(name));
        }
        return *found;
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        auto source = open_source(root_, options);
        if (!source) return source.error();
        return session::CountersPtr(new IoCounters(events, std::move(*source)));
    }

  private:
    base::SysRoot root_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<IoComponent>(root);
}

}  // namespace ringside::components::io
