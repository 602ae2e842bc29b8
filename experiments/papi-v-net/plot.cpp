// Throughput over the size of a transfer, for each interface, and what the interface cost the host:
// data.csv, the figure, and the tables of README.md.
//   plot DIR
// DIR holds MODEL.csv and MODEL-exits.csv for each model.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "../papi-v-timing/drawing.h"
#include "base/csv.h"
#include "base/text.h"

namespace {

using namespace ringside;
using namespace ringside::experiment;

struct Transfer {
    double bytes = 0;
    double seconds = 0;
    double rx_bytes = 0;
    double rx_packets = 0;

    double mb_per_s() const { return bytes / seconds / 1e6; }
};

struct Interface {
    std::string model;
    std::string kind;  // as the net component names it
    std::vector<Transfer> transfers;
    std::map<std::string, double> exits;  // by the kvm component, over all transfers

    double received_mib() const {
        double sum = 0;
        for (const auto& transfer : transfers) sum += transfer.bytes;
        return sum / (1 << 20);
    }
};

std::string slurp(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

double number(const std::string& text) {
    return static_cast<double>(base::parse_u64(text).value_or(0));
}

Interface read_interface(const std::string& dir, const std::string& model) {
    Interface interface;
    interface.model = model;
    for (const auto& row : base::parse_csv(slurp(dir + "/" + model + ".csv"))) {
        if (row.size() != 6 || row[0] == "interface") continue;
        interface.kind = row[0].substr(row[0].find(" is ") + 4);
        interface.transfers.push_back(
            {number(row[1]), number(row[2]) / 1e9, number(row[3]), number(row[4])});
    }
    for (const auto& row : base::parse_csv(slurp(dir + "/" + model + "-exits.csv"))) {
        if (row.size() == 2) interface.exits[row[0]] = number(row[1]);
    }
    return interface;
}

std::map<double, std::vector<double>> by_size(const Interface& interface) {
    std::map<double, std::vector<double>> sizes;
    for (const auto& transfer : interface.transfers) {
        sizes[transfer.bytes].push_back(transfer.mb_per_s());
    }
    return sizes;
}

Line line_of(const Interface& interface, Colour colour) {
    Line line{interface.model, colour, false, {}};
    for (auto& [bytes, rates] : by_size(interface)) {
        line.points.push_back({std::log2(bytes / 262144) / 2, *band(rates)});
    }
    return line;
}

void write_data(const std::string& path, const std::vector<Interface>& interfaces) {
    std::ofstream out(path);
    out << "model,kind,bytes,seconds,mb_per_s,rx_bytes,rx_packets\n";
    for (const auto& interface : interfaces) {
        for (const auto& t : interface.transfers) {
            out << fmt::format("{},\"{}\",{:.0f},{:.6f},{:.3f},{:.0f},{:.0f}\n", interface.model,
                               interface.kind, t.bytes, t.seconds, t.mb_per_s(), t.rx_bytes,
                               t.rx_packets);
        }
    }
}

void print_tables(const std::vector<Interface>& interfaces) {
    fmt::print(
        "| interface | the net component says | 256 KiB | 1 MiB | 4 MiB |\n"
        "|---|---|---|---|---|\n");
    for (const auto& interface : interfaces) {
        fmt::print("| {} | {} |", interface.model, interface.kind);
        for (auto& [bytes, rates] : by_size(interface)) {
            const Band rate = *band(rates);
            fmt::print(" {:.1f} ({:.1f} to {:.1f}) |", rate.median, rate.low, rate.high);
        }
        fmt::print("\n");
    }
    fmt::print(
        "\n| exits of KVM for each MiB received | all | memory-mapped I/O | interrupts |\n"
        "|---|---|---|---|\n");
    for (const auto& interface : interfaces) {
        const double mib = interface.received_mib();
        const auto each = [&](const char* event) {
            const auto found = interface.exits.find(event);
            return found == interface.exits.end() ? std::string("-")
                                                  : fmt::format("{:.1f}", found->second / mib);
        };
        fmt::print("| {} | {} | {} | {} |\n", interface.model, each("host:exits"),
                   each("host:mmio_exits"), each("host:irq_injections"));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: plot DIR\n", stderr);
        return 2;
    }
    const std::string dir = argv[1];
    constexpr Colour colours[] = {{0.86, 0.44, 0.08}, {0.12, 0.40, 0.75}, {0.13, 0.55, 0.33}};
    std::vector<Interface> interfaces;
    Chart chart{"Throughput into a guest",
                "by the guest's network interface",
                "0: 256 KiB, 1: 1 MiB, 2: 4 MiB a transfer",
                "MB a second",
                "",
                {}};
    for (const char* model : {"rtl8139", "e1000", "virtio-net-pci"}) {
        auto interface = read_interface(dir, model);
        if (interface.transfers.empty()) {
            fmt::print(stderr, "plot: no transfers in {}/{}.csv\n", dir, model);
            return 1;
        }
        chart.lines.push_back(line_of(interface, colours[interfaces.size()]));
        interfaces.push_back(std::move(interface));
    }
    write_data(dir + "/data.csv", interfaces);
    print_tables(interfaces);
    return draw({chart}, dir + "/papi-v-net.svg", dir + "/papi-v-net.png") ? 0 : 1;
}
