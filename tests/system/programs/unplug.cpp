// Counts on all CPUs while one of them goes away and comes back. Run in a test VM: it
// takes the CPU from everybody.
#include <cstdio>
#include <fstream>
#include <string_view>
#include <vector>

#include <ringside/event_set.h>

namespace {

bool set_online(bool online) {
    std::ofstream file("/sys/devices/system/cpu/cpu1/online");
    file << (online ? 1 : 0) << std::flush;
    return file.good();
}

bool fail(const char* what, const ringside::Result<void>& done) {
    if (!done) std::printf("%s: %s\n", what, done.error().what.c_str());
    return !done;
}

}  // namespace

int main() {
    ringside::SetOptions options;
    options.target = ringside::Target::system();
    auto set = ringside::Session::open().event_set(options);
    const std::vector<std::string_view> names{"cpu-clock", "page-faults", "context-switches"};
    if (fail("add", set.add(names)) || fail("start", set.start())) return 1;
    std::vector<std::int64_t> both(names.size());
    std::vector<std::int64_t> one(names.size());
    std::vector<std::int64_t> again(names.size());
    if (fail("read", set.read(both))) return 1;
    if (!set_online(false)) return 2;
    if (fail("read without a CPU", set.read(one))) return 1;
    // A set made now has one CPU less.
    auto fewer = ringside::Session::open().event_set(options);
    if (fail("add without a CPU", fewer.add("cpu-clock"))) return 1;
    if (!set_online(true)) return 2;
    if (fail("read with both again", set.read(again)) || fail("stop", set.stop())) return 1;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (one[i] < both[i] || again[i] < one[i]) return 3;
    }
    std::printf("counted on, %lld ns\n", static_cast<long long>(again[0]));
    return again[0] > 0 ? 0 : 4;
}
