#include "clocks/host_time.h"

#include <cerrno>
#include <limits>

#include <fcntl.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"

namespace ringside::clocks {

namespace {

constexpr int comparisons = 16;

// A clock that lives behind a file descriptor (clock_gettime(2), "Dynamic clocks").
clockid_t clock_of(int fd) {
    return (~static_cast<clockid_t>(fd) << 3) | 3;
}

}  // namespace

Result<HostTime> read_host_time(const std::string& device) {
    const base::Fd fd(::open(device.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open the host's clock " + device);
    HostTime best;
    best.error_ns = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < comparisons; ++i) {
        const auto before = static_cast<std::int64_t>(base::now_ns(CLOCK_REALTIME));
        const auto host_ns = base::read_clock_ns(clock_of(fd.get()));
        if (!host_ns) return base::fail_errno(errno, "cannot read the host's clock " + device);
        const auto after = static_cast<std::int64_t>(base::now_ns(CLOCK_REALTIME));
        const auto host = static_cast<std::int64_t>(*host_ns);
        const std::int64_t error = (after - before) / 2;
        if (error < 0 || error >= best.error_ns) continue;  // the guest's clock was set meanwhile
        best = HostTime{before + error - host, error};
    }
    return best;
}

}  // namespace ringside::clocks
