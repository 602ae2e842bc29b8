#include "papi/library.h"

#include <algorithm>

#include "components/registry.h"
#include "papi/stealtime.h"
#include "papi/sysdetect.h"

namespace ringside::papi {

namespace {

// Ours, and those that only PAPI has.
std::vector<session::ComponentPtr> sources() {
    auto all = components::all_components();
    const auto steal = std::find_if(
        all.begin(), all.end(), [](const auto& component) { return component->name() == "steal"; });
    if (steal != all.end()) all.push_back(make_stealtime(**steal));
    all.push_back(make_sysdetect());
    return all;
}

}  // namespace

Library& make_library() {
    const base::NoFork no_fork;
    static Library& only = *new Library;  // several threads may come here; one is first
    the_library.store(&only, std::memory_order_release);
    return only;
}

Catalogue& Library::catalogue() {
    if (auto* made = catalogue_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(making_);
    if (auto* made = catalogue_.load(std::memory_order_acquire)) return *made;
    auto* made = new Catalogue(sources());
    catalogue_.store(made, std::memory_order_release);
    return *made;
}

void Library::reset() {
    epoch.fetch_add(1, std::memory_order_acq_rel);
    for (Set* set : sets.all()) sets.destroy(*set);
    threads.clear();
    formulas.clear();
    const std::lock_guard lock(making_);
    delete catalogue_.exchange(nullptr, std::memory_order_acq_rel);
}

}  // namespace ringside::papi
