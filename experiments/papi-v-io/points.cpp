#include "points.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace ringside::experiment {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<json> read_json(const std::string& path) {
    json value = json::parse(std::ifstream(path), nullptr, false);
    if (value.is_discarded()) return base::fail(ErrorCode::bad_input, path + " is no JSON");
    return value;
}

// What `ringside io` counted on the file of this job.
const json* find_file(const json& report, const std::string& name) {
    for (const json& file : report.at("files")) {
        if (file.at("path").is_string() &&
            file.at("path").get_ref<const std::string&>().ends_with("/" + name)) {
            return &file;
        }
    }
    return nullptr;
}

// Of one call: what fio's time stamps enclose besides what the component's do. Taken from a job
// whose calls do nothing, so that it is known before the points are looked at.
double floor_of(const json& job, const json& report, const std::string& direction) {
    const json* file = find_file(report, direction == "read" ? "zero" : "null");
    if (file == nullptr) return 0;
    const auto calls = file->at(direction + "_calls").get<double>();
    return job.at(direction).at("clat_ns").at("mean").get<double>() -
           file->at(direction + "_ns").get<double>() / calls;
}

double total_clat_ns(const json& job, const std::string& direction) {
    const json& clat = job.at(direction).at("clat_ns");
    return clat.at("mean").get<double>() * clat.at("N").get<double>();
}

Result<void> add_run(Points& points, std::vector<double>& floors_ns, const json& fio,
                     const json& report, const PointKey& form) {
    for (const json& job : fio.at("jobs")) {
        const std::string name = job.at("jobname");
        const json& moved = job.at(form.direction);
        if (name == "floor") {
            floors_ns.push_back(floor_of(job, report, form.direction));
            continue;
        }
        const auto numbers = base::split(name, '-');
        PointKey key = form;
        key.size_kib = static_cast<int>(base::parse_u64(numbers.at(0)).value_or(0));
        key.record_kib = static_cast<int>(base::parse_u64(numbers.at(1)).value_or(0));
        const json* file = find_file(report, "papi-v-io-" + form.direction + "-" + name);
        Measured run;
        run.bytes = moved.at("io_bytes");
        run.calls = moved.at("total_ios");
        const auto counted = [&](const char* what) -> std::uint64_t {
            return file == nullptr ? 0 : file->at(form.direction + what).get<std::uint64_t>();
        };
        if (counted("_bytes") != run.bytes || counted("_calls") != run.calls) {
            return base::fail(
                ErrorCode::bad_input,
                fmt::format("{} {} of {}: fio says {} bytes in {} calls, ringside io {} in {}",
                            form.place, form.direction, name, run.bytes, run.calls,
                            counted("_bytes"), counted("_calls")));
        }
        run.fio_ns = total_clat_ns(job, form.direction);
        run.io_ns = static_cast<double>(counted("_ns"));
        // Its time stamps lie between fio's; 2 % for the rates of two clocks.
        if (run.io_ns > run.fio_ns * 1.02) {
            return base::fail(ErrorCode::bad_input,
                              fmt::format("{} {} of {}: {:.0f} ns inside of fio's {:.0f} ns",
                                          form.place, form.direction, name, run.io_ns, run.fio_ns));
        }
        points[key].push_back(run);
    }
    return {};
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

}  // namespace

Result<void> add_points(Points& points, const std::string& folder, const std::string& place) {
    for (const std::string direction : {"read", "write"}) {
        std::vector<double> floors_ns;
        for (int n = 1; fs::exists(fmt::format("{}/{}.{}.fio.json", folder, direction, n)); ++n) {
            const auto fio = read_json(fmt::format("{}/{}.{}.fio.json", folder, direction, n));
            if (!fio) return fio.error();
            const auto report = read_json(fmt::format("{}/{}.{}.io.json", folder, direction, n));
            if (!report) return report.error();
            auto added = add_run(points, floors_ns, *fio, *report, {place, direction, 0, 0});
            if (!added) return added;
        }
        if (floors_ns.empty()) continue;
        const double floor_ns = median(floors_ns);
        for (auto& [key, runs] : points) {
            if (key.place != place || key.direction != direction) continue;
            for (Measured& run : runs) run.floor_ns = floor_ns * static_cast<double>(run.calls);
        }
    }
    return {};
}

Summary summarize(const std::vector<Measured>& runs) {
    const auto over = [&](auto&& what) {
        std::vector<double> values;
        for (const Measured& run : runs) values.push_back(what(run));
        return median(std::move(values));
    };
    Summary summary;
    summary.fio_gbps = over([](const Measured& run) {
        return static_cast<double>(run.bytes) / (run.fio_ns - run.floor_ns);
    });
    summary.io_gbps =
        over([](const Measured& run) { return static_cast<double>(run.bytes) / run.io_ns; });
    summary.difference =
        over([](const Measured& run) { return (run.fio_ns - run.floor_ns) / run.io_ns - 1; });
    summary.raw_difference = over([](const Measured& run) { return run.fio_ns / run.io_ns - 1; });
    return summary;
}

}  // namespace ringside::experiment
