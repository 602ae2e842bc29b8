#include "compare/per.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace ringside::compare {

namespace {

using run::Measurement;
using run::Per;
using run::Run;
using run::Side;

std::optional<double> divisor_of(const Run& run, Per per) {
    const auto use = [&](std::string_view event, double unit) -> std::optional<double> {
        const Measurement* count = run.find(event);
        if (count == nullptr || !count->ok() || count->value <= 0) return std::nullopt;
        return count->value / unit;
    };
    if (per == Per::second) return use("time.wall", 1e9);
    if (per == Per::instruction) {
        const auto all = use("instructions", 1);
        return all ? all : use("instructions:u", 1);
    }
    return 1.0;
}

}  // namespace

Result<Per> agreed_per(const std::vector<Side>& sides, Per wanted) {
    const Per given = sides.front().per;
    const bool alike = std::all_of(sides.begin(), sides.end(),
                                   [&](const Side& side) { return side.per == given; });
    const bool fits = given == Per::run || wanted == Per::run || wanted == given;
    if (alike && fits) return given == Per::run ? wanted : given;
    const auto divided = std::find_if(sides.begin(), sides.end(),
                                      [](const Side& side) { return side.per != Per::run; });
    return base::fail(
        ErrorCode::bad_input,
        fmt::format("values of {} are per {} already", divided->name, to_string(divided->per)),
        "make the table with --per run; it can then be compared by anything");
}

Result<Divisors> find_divisors(const std::vector<Side>& sides, Per per) {
    Divisors divisors;
    for (const Side& side : sides) {
        auto& own = divisors.emplace_back();
        for (const Run& run : side.runs) {
            const auto divisor = divisor_of(run, side.per == Per::run ? per : Per::run);
            if (!divisor) {
                return base::fail(
                    ErrorCode::bad_input,
                    fmt::format("{} has no {} to divide by", side.name,
                                per == Per::second ? "wall time" : "count of instructions"),
                    "--per run and --per share need neither");
            }
            own.push_back(*divisor);
        }
    }
    return divisors;
}

}  // namespace ringside::compare
