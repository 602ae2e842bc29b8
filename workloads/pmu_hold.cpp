// Holds hardware counters of one CPU, as a monitoring agent on a host does: the adversary in tests
// of what a guest notices when its counters are taken away.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <getopt.h>

#include "events/parse.h"
#include "perf/event_fd.h"

namespace {

using namespace ringside;

struct Arguments {
    int cpu = 0;
    std::string event = "cycles";
    int count = 1;
    double seconds = 1;
    double after = 0;
    std::string ready_file;
};

constexpr const char* usage =
    "usage: pmu_hold [--cpu N] [--event NAME] [--count K] [--after S] [--seconds S] [--ready "
    "FILE]\n"
    "Waits, pins K events on a CPU, creates FILE, holds them and ends.\n";

bool parse(int argc, char** argv, Arguments& arguments) {
    static const option options[] = {{"cpu", required_argument, nullptr, 'c'},
                                     {"event", required_argument, nullptr, 'e'},
                                     {"count", required_argument, nullptr, 'n'},
                                     {"seconds", required_argument, nullptr, 's'},
                                     {"after", required_argument, nullptr, 'a'},
                                     {"ready", required_argument, nullptr, 'r'},
                                     {nullptr, 0, nullptr, 0}};
    for (int given = 0; (given = ::getopt_long(argc, argv, "", options, nullptr)) != -1;) {
        switch (given) {
            case 'c':
                arguments.cpu = std::atoi(optarg);
                break;
            case 'e':
                arguments.event = optarg;
                break;
            case 'n':
                arguments.count = std::atoi(optarg);
                break;
            case 's':
                arguments.seconds = std::atof(optarg);
                break;
            case 'a':
                arguments.after = std::atof(optarg);
                break;
            case 'r':
                arguments.ready_file = optarg;
                break;
            default:
                return false;
        }
    }
    return optind == argc;
}

void sleep_seconds(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

int fail(const Error& error) {
    std::fprintf(stderr, "pmu_hold: %s\n", error.what.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    if (!parse(argc, argv, arguments)) {
        std::fputs(usage, stderr);
        return 2;
    }
    sleep_seconds(arguments.after);
    const auto event = events::parse_event({}, arguments.event);
    if (!event) return fail(event.error());
    perf::OpenOptions options;
    options.pinned = true;
    options.disabled = false;
    std::vector<perf::EventFd> held;
    for (int i = 0; i < arguments.count; ++i) {
        auto fd = perf::EventFd::open(*event, {-1, arguments.cpu}, options);
        if (!fd) return fail(fd.error());
        held.push_back(std::move(*fd));
    }
    if (!arguments.ready_file.empty()) std::ofstream(arguments.ready_file) << "ready\n";
    sleep_seconds(arguments.seconds);
    for (const auto& fd : held) {
        const auto count = fd.read();
        if (!count) return fail(count.error());
        std::printf("%s %s\n", arguments.event.c_str(), *count ? "held" : "not scheduled");
    }
    return 0;
}
