// Figures 1 to 3: joins what was measured with the competition there was, writes data.csv and
// draws.
//   plot DIR
// DIR holds native.csv and native-crowd.csv; guest.csv and guest-crowd.csv may be missing.
#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "drawing.h"
#include "series.h"

namespace {

using namespace ringside::experiment;

constexpr Colour blue{0.12, 0.40, 0.75};
constexpr Colour orange{0.86, 0.44, 0.08};
constexpr Colour green{0.13, 0.55, 0.33};

// One clock on both sides natively; a guest's clock may be a second behind its host's, because it
// was set from a clock that shows whole seconds.
constexpr double native_guard_s = 0.1;
constexpr double guest_guard_s = 1.5;

std::string slurp(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

template <typename Pick>
Line line_of(const RunsByCompetitors& runs, std::string label, Colour colour, bool dashed,
             Pick pick) {
    Line line{std::move(label), colour, dashed, {}};
    for (const auto& [competitors, measured] : runs) {
        std::vector<double> values;
        for (const Run& run : measured) {
            if (const std::optional<double> value = pick(run)) values.push_back(*value);
        }
        if (const auto found = band(std::move(values))) {
            line.points.push_back({static_cast<double>(competitors), *found});
        }
    }
    return line;
}

Line real_line(const RunsByCompetitors& runs) {
    return line_of(runs, "real", blue, false,
                   [](const Run& run) { return std::optional(run.real_s); });
}
Line virtual_line(const RunsByCompetitors& runs, bool dashed) {
    return line_of(runs, "virtual (CPU time)", orange, dashed,
                   [](const Run& run) { return std::optional(run.cpu_s); });
}
Line compensated_line(const RunsByCompetitors& runs) {
    return line_of(runs, "without steal", green, false,
                   [](const Run& run) { return run.compensated_s; });
}

std::vector<Chart> make_charts(const RunsByCompetitors& native, const RunsByCompetitors& guest) {
    const std::string seconds = "seconds a multiply";
    const std::string absent = guest.empty() ? "not measured: no guest here" : "";
    return {{"1  Natively",
             "processes compete for the CPU",
             "competing processes",
             seconds,
             "",
             {real_line(native), virtual_line(native, false)}},
            {"2  In a guest",
             "the host lets others compete for the vCPU's CPU",
             "competing processes on the host",
             seconds,
             absent,
             {real_line(guest), virtual_line(guest, true)}},
            {"3  In a guest, steal taken out",
             "the same runs, thread's own steal subtracted",
             "competing processes on the host",
             seconds,
             absent,
             {real_line(guest), virtual_line(guest, true), compensated_line(guest)}}};
}

void write_rows(std::FILE* out, const char* place, const RunsByCompetitors& all) {
    for (const auto& [competitors, runs] : all) {
        for (const Run& run : runs) {
            fmt::print(out, "{},{},{:.6f},{:.6f},{},{}\n", place, competitors, run.real_s,
                       run.cpu_s, run.steal_s ? fmt::format("{:.6f}", *run.steal_s) : "",
                       run.compensated_s ? fmt::format("{:.6f}", *run.compensated_s) : "");
        }
    }
}

// The table of README.md.
void print_summary(const char* place, const RunsByCompetitors& all) {
    for (const auto& [competitors, runs] : all) {
        const RunsByCompetitors one{{competitors, runs}};
        const Line compensated = compensated_line(one);
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {} |\n", place, competitors, runs.size(),
                   real_line(one).points[0].y.median, virtual_line(one, false).points[0].y.median,
                   compensated.points.empty()
                       ? "-"
                       : fmt::format("{:.3f}", compensated.points[0].y.median));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: plot DIR\n", stderr);
        return 2;
    }
    const std::string dir = argv[1];
    const auto native =
        join(slurp(dir + "/native.csv"), slurp(dir + "/native-crowd.csv"), native_guard_s);
    const auto guest =
        join(slurp(dir + "/guest.csv"), slurp(dir + "/guest-crowd.csv"), guest_guard_s);
    if (native.empty()) {
        fmt::print(stderr, "plot: no runs in {}/native.csv lie in a phase of native-crowd.csv\n",
                   dir);
        return 1;
    }
    std::FILE* data = std::fopen((dir + "/data.csv").c_str(), "w");
    if (data == nullptr) {
        std::perror("plot");
        return 1;
    }
    fmt::print(data, "place,competitors,real_s,cpu_s,steal_s,compensated_s\n");
    write_rows(data, "native", native);
    write_rows(data, "guest", guest);
    std::fclose(data);
    fmt::print(
        "| place | competitors | runs | real s | CPU s | without steal s "
        "|\n|---|---|---|---|---|---|\n");
    print_summary("native", native);
    print_summary("guest", guest);
    return draw(make_charts(native, guest), dir + "/papi-v-timing.svg", dir + "/papi-v-timing.png")
               ? 0
               : 1;
}
