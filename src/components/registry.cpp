#include "components/registry.h"

#include "components/cpu/cpu.h"
#include "components/infiniband/infiniband.h"
#include "components/io/io.h"
#include "components/kvm/kvm.h"
#include "components/net/net.h"
#include "components/soft/soft.h"
#include "components/steal/steal.h"
#include "components/vmware/vmware.h"

namespace ringside::components {

std::vector<session::ComponentPtr> all_components(const base::SysRoot& root) {
    using Make = session::ComponentPtr (*)(const base::SysRoot&);
    // One line for each folder of this room, kept apart by the slashes. The first takes the names
    // that name no component.
    const std::vector<Make> makers = {
        make_cpu,          //
        steal::make,       //
        io::make,          //
        net::make,         //
        infiniband::make,  //
        vmware::make,      //
        kvm::make,         //
        soft::make,        //
    };

    std::vector<session::ComponentPtr> components;
    components.reserve(makers.size());
    for (const auto make : makers) components.push_back(make(root));
    return components;
}

}  // namespace ringside::components
