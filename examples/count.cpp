// Counts what a piece of work costs, and says of each number whether it can be believed.
//   count [EVENT...]        e.g. count task-clock page-faults ipc
#include <cstdio>
#include <string_view>
#include <vector>

#include <ringside/event_set.h>

namespace {

// The work to measure: it touches each page of a large array.
void work() {
    std::vector<char> memory(16u << 20);
    for (std::size_t i = 0; i < memory.size(); i += 4096) memory[i] = 1;
}

int complain(const ringside::Error& error) {
    std::fprintf(stderr, "%s\n", error.what.c_str());
    if (!error.hint.empty()) std::fprintf(stderr, "%s\n", error.hint.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> names(argv + 1, argv + argc);
    if (names.empty()) names = {"task-clock:u", "page-faults:u"};

    const auto session = ringside::Session::open();
    auto set = session.event_set();  // on this thread; SetOptions choose others
    if (auto added = set.add(names); !added) return complain(added.error());

    if (auto started = set.start(); !started) return complain(started.error());
    work();
    if (auto stopped = set.stop(); !stopped) return complain(stopped.error());

    const auto readings = set.read();
    if (!readings) return complain(readings.error());
    for (std::size_t i = 0; i < set.size(); ++i) {
        const ringside::Reading& reading = (*readings)[i];
        std::printf("%-20s %16.2f  %-13s %s\n", set.name(i).c_str(), reading.exact,
                    ringside::to_string(reading.state).data(), set.explain(i).c_str());
    }
    return 0;
}
