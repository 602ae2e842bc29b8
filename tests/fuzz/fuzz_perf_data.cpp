// Any bytes as a recorded profile: read as far as they make sense, never a crash, never more
// samples than they can hold.
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "profile/rows.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace ringside;
    const base::Fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
    RINGSIDE_ASSERT(::write(fd.get(), data, size) == static_cast<ssize_t>(size));
    profile::Keep keep;
    keep.stack = true;
    auto loaded = profile::load("/proc/self/fd/" + std::to_string(fd.get()), {keep});
    if (!loaded) {
        RINGSIDE_ASSERT(!loaded.error().what.empty());
        return 0;
    }
    profile::Naming naming;
    naming.functions.push_back({});
    naming.of_location.assign(loaded->locations.size(), 0);
    std::uint64_t samples = 0;
    for (const auto& event : make_rows(*loaded, naming, {profile::Column::comm}, true))
        for (const auto& row : event.rows) samples += row.samples;
    std::uint64_t counted = 0;
    for (const auto& event : loaded->events) counted += event.samples;
    RINGSIDE_ASSERT(samples == counted);
    return 0;
}
