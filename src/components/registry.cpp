#include "components/registry.h"

#include "components/io/io.h"

namespace ringside::components {

std::vector<session::ComponentPtr> all_components(const base::SysRoot& root) {
    using Make = session::ComponentPtr (*)(const base::SysRoot&);
    // One line for each folder of this room.
    const std::vector<Make> makers = {
        io::make,
    };

    std::vector<session::ComponentPtr> components;
    for (const auto make : makers) components.push_back(make(root));
    return components;
}

}  // namespace ringside::components
