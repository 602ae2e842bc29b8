// InfiniBand and RDMA devices: the counters of each port and those the device keeps itself, data in
// bytes, and what kind of device it is.
//
//   mlx5_0_1:port_rcv_data   mlx5_0_1:rx_read_requests   mlx5_0:device_counter   ...
//
// that is DEVICE_PORT:COUNTER, as PAPI names them; its "_ext" behind the port is accepted.
#pragma once

#include "base/sys_root.h"
#include "session/component.h"

namespace ringside::components::infiniband {

session::ComponentPtr make(const base::SysRoot& root);

// What a counter of `bits` bits gained from `before` to `now`. One that stepped back from its last
// quarter to its first has begun again at 0; any other that stepped back was reset, and gained
// nothing that is known.
std::int64_t gained_with_wrap(int bits, std::int64_t before, std::int64_t now);

}  // namespace ringside::components::infiniband
