// Recognition: the first line is a pattern and a text, the rest a table.
#include "fuzz_input.h"
#include "platform/identity.h"
#include "platform/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside::platform;
    auto rest = ringside::fuzz::as_text(data, size);
    auto first = ringside::fuzz::take_part(rest, '\n');
    const auto pattern = ringside::fuzz::take_part(first, '=');
    const bool has_star = pattern.starts_with('*') || pattern.ends_with('*');
    if (!has_star) RINGSIDE_ASSERT(matches(pattern, first) == (pattern == first));
    const std::vector<Observation> seen = {{std::string(pattern), "fuzz", std::string(first)}};
    int last_rank = 0;
    bool is_first = true;
    for (const auto& sighting : recognise(seen, rest)) {
        RINGSIDE_ASSERT(is_first || sighting.rank <= last_rank);
        RINGSIDE_ASSERT(printable(sighting.evidence.source));
        last_rank = sighting.rank;
        is_first = false;
    }
    return 0;
}
