// base/csv.h: no row is empty, whatever the quotes do.
#include "base/csv.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const auto& row : ringside::base::parse_csv(ringside::fuzz::as_text(data, size))) {
        RINGSIDE_ASSERT(!row.empty());
    }
    return 0;
}
