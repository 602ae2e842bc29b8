#include "components/soft/soft.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "abi/soft_counts.h"
#include "base/error.h"
#include "components/lookup.h"
#include "components/soft/begun_counts.h"
#include "components/soft/guest.h"
#include "components/soft/page.h"
#include "soft/events.h"

namespace ringside::components::soft {

namespace {

using base::fail;
using session::ComponentEvent;

class SoftCounters final : public BegunCounts<SoftCounters, BegunCount> {
  public:
    // Of a thread, or of the process.
    SoftCounters(OwnPage page, std::optional<ThreadPlace> thread,
                 std::span<const ComponentEvent> events)
        : page_(std::move(page)), thread_(thread) {
        for (const auto& event : events) {
            cells_.push_back({static_cast<unsigned>(event.id), 0, 0});
        }
    }

    bool now(const BegunCount& cell, std::uint64_t& value) const {
        return thread_ ? page_.read_thread(*thread_, cell.counter, value)
                       : page_.read_process(cell.counter, value);
    }
    std::string explain(std::size_t index) const override {
        const auto why = reason(index);
        return why.empty() ? "soft: counted by QEMU, read from its page" : why;
    }

  private:
    OwnPage page_;
    std::optional<ThreadPlace> thread_;
};

class SoftComponent final : public session::Component {
  public:
    explicit SoftComponent(std::string folder) : folder_(std::move(folder)) {}

    std::string_view name() const override { return "soft"; }
    std::string_view description() const override {
        return "what this program executes, counted in software by the QEMU it runs under";
    }

    session::Availability availability() const override {
        const auto page = map();
        if (page) return {true, ""};
        return {false, page.error().what};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> events;
        const auto page = map();
        if (!page) return events;
        for (const auto& event : ringside::soft::all_events()) {
            if (!page->counts(event.counter)) continue;
            events.push_back({event.name, event.description, "", false, event.counter});
        }
        return events;
    }

    Result<ComponentEvent> find(std::string_view name) const override {
        if (const auto page = map(); !page) return page.error();
        auto found = find_event(events(), "soft", name);
        if (found) return found;
        for (const auto& event : ringside::soft::all_events()) {
            if (event.name != name) continue;
            return fail(ErrorCode::unsupported,
                        fmt::format("the soft PMU was not asked to count {}", name),
                        fmt::format("ringside stat --soft -e {} counts it", event.stat_name));
        }
        return found;
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        auto page = map();
        if (!page) return page.error();
        const Target& target = options.target;
        std::optional<ThreadPlace> thread;
        if (target.kind == Target::Kind::calling_thread || target.kind == Target::Kind::thread) {
            const bool own = target.kind == Target::Kind::calling_thread || target.id == 0;
            const auto found = page->find_thread(own ? ::gettid() : target.id);
            if (!found) return found.error();
            thread = *found;
        } else if (target.kind != Target::Kind::process ||
                   (target.id != 0 && target.id != ::getpid())) {
            return fail(ErrorCode::unsupported, "soft events are of this process and its threads",
                        "ringside stat --soft counts a command with all that it starts");
        }
        return session::CountersPtr(
            std::make_unique<SoftCounters>(std::move(*page), thread, events));
    }

  private:
    Result<OwnPage> map() const {
        if (!folder_.empty()) return OwnPage::map(folder_);
        return fail(ErrorCode::unsupported, "this program does not run under the soft PMU",
                    "start it with ringside stat --soft");
    }

    std::string folder_;
};

}  // namespace

session::ComponentPtr make_in(std::string folder) {
    return std::make_unique<SoftComponent>(std::move(folder));
}

// A made-up machine has no environment.
session::ComponentPtr make(const base::SysRoot& root) {
    const char* folder = root.is_live() ? std::getenv(SOFT_FOLDER_VARIABLE) : nullptr;
    if (folder == nullptr && machine_pmu(root)) return make_in_machine(root);
    return make_in(folder != nullptr ? folder : "");
}

}  // namespace ringside::components::soft
