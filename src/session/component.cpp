#include "session/component.h"

#include "base/error.h"

namespace ringside::session {

Result<void> Counters::read_values(std::span<std::int64_t> out) {
    std::vector<Reading> readings(out.size());
    if (auto done = read(readings); !done) return done.error();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = readings[i].value;
    return {};
}

bool Counters::read_plain(std::int64_t*) {
    return false;
}

void Counters::judge(std::span<Reading>) {}

std::string Counters::reason(std::size_t) const {
    return {};
}

std::string Counters::explain(std::size_t index) const {
    return reason(index);
}

// Those who can call the handler keep it.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Result<void> Counters::on_overflow(std::size_t, std::uint64_t, OverflowHandler) {
    return base::fail(ErrorCode::unsupported, "overflow of an event that no counter interrupts for",
                      "choose an event of the cpu component, or a software event");
}

}  // namespace ringside::session
