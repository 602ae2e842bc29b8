// What reading components costs, beside what a program does without them: opening and parsing the
// kernel's text each time, as PAPI's components do. Run it on one CPU:
// taskset -c 1 build/release/bench/components_bench
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "components/registry.h"

namespace {

using namespace ringside;
using bench::median_ns;
using bench::print_heading;
using bench::print_row;

volatile std::int64_t sink;

// fopen, every line, sscanf of those that begin with `key`.
double text_file_ns(const char* path, std::string_view key, const char* format) {
    return median_ns(
        [&] {
            std::FILE* file = std::fopen(path, "r");
            if (file == nullptr) return;
            std::array<char, 4096> line;
            while (std::fgets(line.data(), line.size(), file) != nullptr) {
                long long first = 0;
                if (std::string_view(line.data()).find(key) == std::string_view::npos) continue;
                if (std::sscanf(line.data(), format, &first) == 1) sink = first;
            }
            std::fclose(file);
        },
        100);
}

Result<session::CountersPtr> open_events(const session::Component& component,
                                         const std::vector<std::string>& names) {
    std::vector<session::ComponentEvent> events;
    for (const auto& name : names) {
        auto event = component.find(name);
        if (!event) return event.error();
        events.push_back(std::move(*event));
    }
    return component.open(events, {});
}

void read_row(std::string_view component_name, const std::vector<std::string>& names,
              const char* peer, double peer_ns) {
    for (const auto& component : components::all_components()) {
        if (component->name() != component_name) continue;
        const std::string title =
            std::string(component_name) + ": " + names.front() + (names.size() > 1 ? ", ..." : "");
        auto counters = open_events(*component, names);
        if (!counters || !(*counters)->start()) {
            std::printf("| %s | not here | | | |\n", title.c_str());
            continue;
        }
        std::vector<Reading> values(names.size());
        const double ours_ns =
            median_ns([&] { sink = (*counters)->read(values) ? values[0].value : -1; }, 100);
        print_row(title.c_str(), ours_ns, peer, peer_ns);
    }
}

}  // namespace

int main() {
    print_heading();
    const double stat_ns =
        text_file_ns("/proc/stat", "cpu", "%*s %*d %*d %*d %*d %*d %*d %*d %lld");
    read_row("steal", {"THREAD"}, "parsing /proc/stat", stat_ns);
    read_row("steal", {"TOTAL"}, "parsing /proc/stat", stat_ns);
    const double dev_ns = text_file_ns("/proc/net/dev", ":", " %*[^:]: %lld");
    read_row("net", {"lo:rx:bytes"}, "parsing /proc/net/dev", dev_ns);
    read_row("net", {"lo:rx:bytes", "lo:rx:packets", "lo:tx:bytes", "lo:tx:packets"},
             "parsing /proc/net/dev", dev_ns);
    return 0;
}
