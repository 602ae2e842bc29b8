#include "components/lookup.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace ringside::components {

Result<session::ComponentEvent> find_event(std::span<const session::ComponentEvent> events,
                                           std::string_view component, std::string_view name) {
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&](const auto& event) { return event.name == name; });
    if (found != events.end()) return *found;
    return base::fail(ErrorCode::not_found, fmt::format("no event {}:::{} here", component, name),
                      fmt::format("ringside list {} shows those there are", component));
}

Result<void> refuse_parts_of_machine(const SetOptions& options, std::string_view component) {
    const auto kind = options.target.kind;
    if (kind != Target::Kind::cpus && kind != Target::Kind::cgroup) return {};
    return base::fail(ErrorCode::unsupported,
                      fmt::format("events of {} cannot be told apart by {}", component,
                                  kind == Target::Kind::cpus ? "CPU" : "cgroup"),
                      "measure the system");
}

}  // namespace ringside::components
