#include "cli/flat_profile.h"

namespace ringside::cli {

Result<FlatProfile> load_flat_profile(const std::string& file) {
    const std::vector<profile::Column> columns{profile::Column::module, profile::Column::symbol};
    profile::LoadOptions options;
    options.keep = profile::kept_for(columns);
    options.switches_in_program = true;
    auto loaded = profile::load(file, options);
    if (!loaded) return loaded.error();
    auto naming = profile::symbolize(*loaded);
    auto rows = profile::make_rows(*loaded, naming, columns);
    // The event that only tracks what is mapped and forked never has samples.
    std::erase_if(rows, [&](const profile::EventRows& event) {
        const auto& totals = loaded->events[event.event];
        return totals.samples == 0 && totals.name.starts_with("dummy");
    });
    return FlatProfile{std::move(*loaded), std::move(naming), columns, std::move(rows)};
}

}  // namespace ringside::cli
