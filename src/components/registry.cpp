#include "components/registry.h"

#include "components/cpu/cpu.h"

namespace ringside::components {

std::vector<session::ComponentPtr> all_components(const base::SysRoot& root) {
    using Make = session::ComponentPtr (*)(const base::SysRoot&);
    // One for each folder of this room. The first takes the names that name no component.
    const std::vector<Make> makers = {make_cpu};

    std::vector<session::ComponentPtr> components;
    components.reserve(makers.size());
    for (const auto make : makers) components.push_back(make(root));
    return components;
}

}  // namespace ringside::components
