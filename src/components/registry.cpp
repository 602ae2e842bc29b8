#include "components/registry.h"

#include "components/infiniband/infiniband.h"
#include "components/kvm/kvm.h"
#include "components/net/net.h"
#include "components/steal/steal.h"
#include "components/vmware/vmware.h"

namespace ringside::components {

std::vector<session::ComponentPtr> all_components(const base::SysRoot& root) {
    using Make = session::ComponentPtr (*)(const base::SysRoot&);
    // One line for each folder of this room, kept apart by the slashes.
    const std::vector<Make> makers = {
        steal::make,       //
        net::make,         //
        infiniband::make,  //
        vmware::make,      //
        kvm::make,         //
    };

    std::vector<session::ComponentPtr> components;
    components.reserve(makers.size());
    for (const auto make : makers) components.push_back(make(root));
    return components;
}

}  // namespace ringside::components
