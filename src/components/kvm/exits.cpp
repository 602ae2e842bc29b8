#include "components/kvm/exits.h"

#include <fmt/format.h>

#include "base/error.h"
#include "events/pmu.h"
#include "perf/event_fd.h"
#include "proc/cpus.h"
#include "proc/task.h"

namespace ringside::components::kvm {

namespace {

class TracepointSource final : public Source {
  public:
    explicit TracepointSource(std::vector<perf::EventFd> events) : events_(std::move(events)) {}

    std::optional<std::int64_t> read() override {
        std::int64_t sum = 0;
        for (const auto& event : events_) {
            const auto count = event.read();
            if (!count || !*count) return std::nullopt;
            sum += static_cast<std::int64_t>((*count)->value);
        }
        return sum;
    }

  private:
    std::vector<perf::EventFd> events_;
};

Result<std::vector<perf::Target>> targets_of(const base::SysRoot& root, int pid) {
    std::vector<perf::Target> targets;
    if (pid == 0) {
        const auto online = proc::online_cpus(root);
        if (!online) return online.error();
        for (const int cpu : *online) targets.push_back({-1, cpu});
        return targets;
    }
    const auto tids = proc::list_threads(root, pid);
    if (!tids) return tids.error();
    for (const pid_t tid : *tids) targets.push_back({tid, -1});
    return targets;
}

}  // namespace

Result<SourcePtr> open_tracepoint(const base::SysRoot& root, int pid, std::string_view name) {
    const auto event = events::tracepoint(root, "kvm", name);
    if (!event) return event.error();
    const auto targets = targets_of(root, pid);
    if (!targets) return targets.error();
    perf::OpenOptions options;
    options.disabled = false;
    options.inherit = pid != 0;
    options.inherit_thread = pid != 0;
    std::vector<perf::EventFd> opened;
    for (const auto& target : *targets) {
        auto fd = perf::EventFd::open(*event, target, options);
        const bool ended = !fd && fd.error().sys_errno == ESRCH;
        if (ended) continue;  // a thread that was there a moment ago
        if (!fd) return fd.error();
        opened.push_back(std::move(*fd));
    }
    if (opened.empty()) {
        return base::fail(ErrorCode::not_found, fmt::format("process {} is gone", pid));
    }
    return SourcePtr(std::make_unique<TracepointSource>(std::move(opened)));
}

}  // namespace ringside::components::kvm
