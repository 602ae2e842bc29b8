#include "components/kvm/exits.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "events/pmu.h"
#include "perf/event_fd.h"

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
        const auto online = root.read_trimmed("/sys/devices/system/cpu/online");
        if (!online) return online.error();
        for (const int cpu : base::parse_cpu_list(*online).value_or(std::vector<int>())) {
            targets.push_back({-1, cpu});
        }
        return targets;
    }
    const auto tids = root.list(fmt::format("/proc/{}/task", pid));
    if (!tids) return tids.error();
    for (const auto& tid : *tids) {
        targets.push_back({static_cast<pid_t>(base::parse_u64(tid).value_or(0)), -1});
    }
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
