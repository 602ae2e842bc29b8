// Reports and tables of other tools, read and joined: never a crash, and what is accepted adds up.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compare/csv_table.h"
#include "compare/join.h"
#include "compare/joined_table.h"
#include "compare/judge.h"
#include "compare/perf_text.h"
#include "compare/warnings.h"

namespace {

using namespace ringside::compare;
namespace run = ringside::run;

void compare_with_itself(std::vector<run::Run> runs) {
    run::Side side;
    side.name = "a";
    side.runs = std::move(runs);
    std::vector<run::Side> sides{side, side};
    const auto joined = join(sides);
    if (!joined) std::abort();  // every accepted file has a run
    for (const Row& row : joined->functions) {
        if (row.cells.size() != 2) std::abort();
        if (row.cells[0].values != row.cells[1].values) {
            // NaN, which a table may hold, is not equal to itself.
            for (const double value : row.cells[0].values) {
                if (std::isnan(value)) return;
            }
            std::abort();
        }
    }
    static_cast<void>(judge(sides, *joined));
    static_cast<void>(find_warnings(sides));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(looks_like_perf_report(text));
    if (auto report = parse_perf_report(text)) compare_with_itself({std::move(report->run)});
    if (auto runs = parse_csv_table(text)) compare_with_itself(std::move(*runs));
    if (auto sides = parse_joined_table(text); sides && !sides->empty()) {
        compare_with_itself(std::move(sides->front().runs));
    }
    return 0;
}
