#include "cli/side_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::cli {

namespace {

using run::Side;

void make_names_unique(std::vector<Side>& sides) {
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const std::string name = sides[i].name;
        const auto taken = [&](const std::string& wanted) {
            return std::any_of(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const Side& side) { return side.name == wanted; });
        };
        for (int n = 2; taken(sides[i].name); ++n) sides[i].name = fmt::format("{} {}", name, n);
    }
}

}  // namespace

Result<void> check_names(const std::string& names, std::size_t sides) {
    const std::size_t named = base::split(names, ',').size();
    if (names.empty() || named == sides) return {};
    return base::fail(ErrorCode::bad_input,
                      fmt::format("--series names {} sides, and there are {}", named, sides));
}

Result<void> name_sides(const std::string& names, std::vector<Side>& sides) {
    if (auto sound = check_names(names, sides.size()); !sound) return sound;
    if (!names.empty()) {
        const auto list = base::split(names, ',');
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const auto name = base::trim(list[i]);
            if (!name.empty()) sides[i].name = name;
        }
    }
    make_names_unique(sides);
    return {};
}

}  // namespace ringside::cli
