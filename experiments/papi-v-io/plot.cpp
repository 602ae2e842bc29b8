// Table 1 and figures 4 to 7: joins what fio and `ringside io` measured, writes data.csv, draws,
// and prints the table.
//   plot DIR
// DIR holds native/ and guest/, as sweep leaves them; guest/ may be missing.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "points.h"
#include "surface.h"

namespace {

using namespace ringside::experiment;

// The point of table 1: as in the paper one point of the surface, here the one with as large a file
// and as large a record as were measured.
void print_table(const Points& points) {
    fmt::print(
        "| place | metric | fio GB/s | io component GB/s | difference | with what is "
        "outside of the calls |\n|---|---|---|---|---|---|\n");
    for (const char* place : {"native", "guest"}) {
        for (const char* direction : {"read", "write"}) {
            const auto after = points.upper_bound({place, direction, 1 << 30, 1 << 30});
            if (after == points.begin()) continue;
            const auto& [key, runs] = *std::prev(after);
            if (key.place != place || key.direction != direction) continue;
            const Summary summary = summarize(runs);
            fmt::print("| {} | {}, {} MiB by {} KiB | {:.3f} | {:.3f} | {:+.2f} % | {:+.2f} % |\n",
                       place, direction, key.size_kib / 1024, key.record_kib, summary.fio_gbps,
                       summary.io_gbps, summary.difference * 100, summary.raw_difference * 100);
        }
    }
}

void print_spread(const Points& points) {
    fmt::print(
        "\n| place | direction | points | within 3 % | largest difference | at |\n"
        "|---|---|---|---|---|---|\n");
    for (const char* place : {"native", "guest"}) {
        for (const char* direction : {"read", "write"}) {
            int count = 0;
            int close = 0;
            double largest = 0;
            std::string where;
            for (const auto& [key, runs] : points) {
                if (key.place != place || key.direction != direction) continue;
                const double difference = summarize(runs).difference;
                ++count;
                if (std::abs(difference) < 0.03) ++close;
                if (std::abs(difference) < std::abs(largest)) continue;
                largest = difference;
                where = fmt::format("{} KiB by {} KiB", key.size_kib, key.record_kib);
            }
            if (count == 0) continue;
            fmt::print("| {} | {} | {} | {} | {:+.2f} % | {} |\n", place, direction, count, close,
                       largest * 100, where);
        }
    }
}

bool write_data(const Points& points, const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    fmt::print(file,
               "place,direction,file_kib,record_kib,run,bytes,calls,fio_ns,fio_floor_ns,io_ns\n");
    for (const auto& [key, runs] : points) {
        int number = 0;
        for (const Measured& run : runs) {
            fmt::print(file, "{},{},{},{},{},{},{},{:.0f},{:.0f},{:.0f}\n", key.place,
                       key.direction, key.size_kib, key.record_kib, ++number, run.bytes, run.calls,
                       run.fio_ns, run.floor_ns, run.io_ns);
        }
    }
    return std::fclose(file) == 0;
}

Surface surface_of(const Points& points, const std::string& title, const std::string& place,
                   const std::string& direction) {
    Surface surface;
    surface.title = title;
    surface.empty_reason = "not measured: no " + place + " here";
    for (const auto& [key, runs] : points) {
        if (key.place != place || key.direction != direction) continue;
        const Summary summary = summarize(runs);
        surface.mesh_gbps[{key.size_kib, key.record_kib}] = summary.fio_gbps;
        surface.dots_gbps[{key.size_kib, key.record_kib}] = summary.io_gbps;
    }
    return surface;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: plot DIR\n", stderr);
        return 2;
    }
    const std::string dir = argv[1];
    Points points;
    for (const char* place : {"native", "guest"}) {
        const auto added = add_points(points, dir + "/" + place, place);
        if (!added) {
            fmt::print(stderr, "plot: {}\n", added.error().what);
            return 1;
        }
    }
    if (points.empty() || !write_data(points, dir + "/data.csv")) {
        fmt::print(stderr, "plot: nothing measured in {}, or it cannot be written\n", dir);
        return 1;
    }
    print_table(points);
    print_spread(points);
    const std::vector<Surface> surfaces{
        surface_of(points, "4  Read, natively", "native", "read"),
        surface_of(points, "5  Read, in a guest", "guest", "read"),
        surface_of(points, "6  Write, natively", "native", "write"),
        surface_of(points, "7  Write, in a guest", "guest", "write")};
    return draw(surfaces, dir + "/papi-v-io.svg", dir + "/papi-v-io.png") ? 0 : 1;
}
