#include "measure/profile.h"

#include "export/stack_tree.h"
#include "profile/stolen.h"

namespace ringside::measure {

namespace {

std::optional<run::Stolen> stolen_of(const profile::Profile& profile) {
    const auto stolen = profile::stolen_between(profile.steal);
    if (!stolen) return std::nullopt;
    run::Stolen all{stolen->stolen_ns, stolen->time_ns, stolen->cpus, {}};
    for (const auto& reading : profile.steal) {
        all.readings.push_back({reading.time_ns, reading.cpu, reading.stolen_ns});
    }
    return all;
}

}  // namespace

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

void add_profile(const FlatProfile& flat, bool soft, run::Run& run) {
    for (const auto& event : flat.rows) {
        const auto& totals = flat.profile.events[event.event];
        run.sampled.push_back(
            {totals.name, totals.in_ns ? "ns" : "", static_cast<double>(totals.samples),
             static_cast<double>(totals.lost), static_cast<double>(totals.period), soft});
        for (const auto& row : event.rows) {
            const auto& function = flat.naming.functions[row.function];
            const std::string mode(to_string(function.mode));
            run.hits.push_back({totals.name, function.module, function.name,
                                mode.ends_with("kernel"), function.resolved,
                                static_cast<double>(row.period), static_cast<double>(row.samples),
                                mode});
        }
    }
    for (const auto* warnings : {&flat.profile.warnings, &flat.naming.warnings}) {
        run.warnings.insert(run.warnings.end(), warnings->begin(), warnings->end());
    }
    if (!soft) {
        run.stacks = flat.stacks;
        run.stolen = stolen_of(flat.profile);
    }
}

std::map<std::string, std::string> build_ids_of(const FlatProfile& flat) {
    std::map<std::string, std::string> ids;
    for (const auto& module : flat.profile.world->modules()) {
        if (!module.build_id.empty()) ids[module.short_name()] = module.build_id;
    }
    return ids;
}

}  // namespace ringside::measure
