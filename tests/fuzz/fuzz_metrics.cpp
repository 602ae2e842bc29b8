// Metric definitions as a user writes them: parsed, put into each other, evaluated.
#include <cstdint>
#include <vector>

#include "events/metrics.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside;
    const auto text = fuzz::as_text(data, size);
    const auto definitions = events::parse_definitions(text, {"x86", "amd"});
    if (!definitions) return 0;
    for (const auto& each : *definitions) {
        RINGSIDE_ASSERT(!each.name.empty());
        const std::size_t count = each.expression.names().size();
        static_cast<void>(each.expression.evaluate(std::vector<double>(count, 2.5)));
        const std::vector<events::Expression> parts(count, each.expression);
        if (const auto whole = each.expression.with(parts)) {
            const std::size_t names = whole->names().size();
            static_cast<void>(whole->evaluate(std::vector<double>(names, 0)));
        }
    }
    return 0;
}
