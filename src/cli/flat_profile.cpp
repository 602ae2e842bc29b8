#include "cli/flat_profile.h"

#include "export/stack_tree.h"

namespace ringside::cli {

Result<FlatProfile> load_flat_profile(const std::string& file, bool with_stacks) {
    const std::vector<profile::Column> columns{profile::Column::module, profile::Column::symbol};
    profile::LoadOptions options;
    options.keep = profile::kept_for(columns);
    options.switches_in_program = true;
    options.keep.stack = with_stacks;
    options.keep.comm = options.keep.comm || with_stacks;  // stacks begin with the thread's name
    auto loaded = profile::load(file, options);
    if (!loaded) return loaded.error();
    auto naming = profile::symbolize(*loaded);
    auto rows = profile::make_rows(*loaded, naming, columns);
    // The event that only tracks what is mapped and forked never has samples.
    std::erase_if(rows, [&](const profile::EventRows& event) {
        const auto& totals = loaded->events[event.event];
        return totals.samples == 0 && totals.name.starts_with("dummy");
    });
    FlatProfile flat{std::move(*loaded), std::move(naming), columns, std::move(rows), {}};
    for (const auto& event : flat.rows) {
        if (!with_stacks) break;
        flat.stacks.push_back(exports::stack_tree(flat.profile, flat.naming, event.event));
    }
    return flat;
}

}  // namespace ringside::cli
