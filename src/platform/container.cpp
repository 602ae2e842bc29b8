#include "platform/container.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/text.h"
#include "platform/container_signs.h"
#include "platform/identity.h"

namespace ringside::platform {

namespace {

bool decides(const Sighting& sighting) {
    return sighting.name != "unknown";
}

}  // namespace

Container read_container(const base::SysRoot& root) {
    const auto table = base::embedded_file("platform/containers.csv").value_or("");
    Container found;
    const auto sightings = recognise(observe_container(root, found.evidence), table);
    const auto best = std::find_if(sightings.begin(), sightings.end(), decides);
    if (best != sightings.end()) {
        found.runtime = best->name;
    } else if (!sightings.empty()) {
        found.runtime = "unknown";
    }
    std::vector<Evidence> evidence;
    for (const auto& each : sightings) {
        evidence.push_back(each.evidence);
        if (!each.detail.empty() && found.runtime != "none") found.orchestrator = each.detail;
    }
    found.evidence.insert(found.evidence.begin(), evidence.begin(), evidence.end());
    return found;
}

}  // namespace ringside::platform
