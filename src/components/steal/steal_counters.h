// The counting half of the steal component: which clock answers which event.
#pragma once

#include <memory>

#include "clocks/environment.h"
#include "session/component.h"

namespace ringside::components::steal {

constexpr std::uint64_t thread_id = 0;
constexpr std::uint64_t process_id = 1;
constexpr std::uint64_t total_id = 2;
constexpr std::uint64_t first_cpu_id = 3;  // CPU n is first_cpu_id + n

// Fails with the clocks' reason where an event cannot be measured here.
Result<session::CountersPtr> open_counters(std::shared_ptr<clocks::Environment> environment,
                                           std::span<const session::ComponentEvent> events,
                                           const SetOptions& options);

}  // namespace ringside::components::steal
