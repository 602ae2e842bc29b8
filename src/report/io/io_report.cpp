#include "report/io/io_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/json.h"
#include "components/io/events.h"

namespace ringside::report {

namespace {

using base::Json;

constexpr std::string_view op_names[IO_OPS] = {
    "read", "write", "recv", "send", "open", "close", "seek", "select", "sock_read", "sock_write"};

std::uint64_t to_ns(double ticks, double ns_per_tick) {
    return static_cast<std::uint64_t>(std::llround(ticks * ns_per_tick));
}

std::uint64_t weight(const io_file_counts& counts, IoSort sort) {
    switch (sort) {
        case IoSort::time:
            return counts.read_ticks + counts.write_ticks;
        case IoSort::bytes:
            return counts.read_bytes + counts.write_bytes;
        case IoSort::calls:
            return counts.read_calls + counts.write_calls + counts.other_calls;
    }
    return 0;
}

Json json_of(const io_counts& counts, double ns_per_tick) {
    Json json;
    for (const IoLine& line : io_lines(counts, ns_per_tick)) {
        const io_op_counts& op = *line.counts;
        json[std::string(line.op)] = {{"calls", op.calls},
                                      {"bytes", op.bytes},
                                      {"asked_bytes", op.asked_bytes},
                                      {"errors", op.errors},
                                      {"interrupted", op.interrupted},
                                      {"would_block", op.would_block},
                                      {"short", op.short_calls},
                                      {"eof", op.ends},
                                      {"kernel_calls", op.timed},
                                      {"kernel_ns", line.ns},
                                      {"p50_ns", line.p50_ns},
                                      {"p99_ns", line.p99_ns}};
    }
    return json;
}

Json json_of(const model::IoFile& file, double ns_per_tick) {
    const io_file_counts& counts = file.counts;
    return {{"path", Json::text_or_null(file.path)},
            {"read_calls", counts.read_calls},
            {"read_bytes", counts.read_bytes},
            {"read_ns", to_ns(static_cast<double>(counts.read_ticks), ns_per_tick)},
            {"write_calls", counts.write_calls},
            {"write_bytes", counts.write_bytes},
            {"write_ns", to_ns(static_cast<double>(counts.write_ticks), ns_per_tick)},
            {"seek_calls", counts.other_calls},
            {"errors", counts.errors}};
}

std::string csv_lines(std::string_view scope, const model::IoThread& who, double ns_per_tick) {
    std::string text;
    const auto or_empty = [](const auto& value) {
        return value ? std::to_string(*value) : std::string();
    };
    for (const IoLine& line : io_lines(who.counts, ns_per_tick)) {
        const io_op_counts& op = *line.counts;
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", scope,
                        who.pid != 0 ? std::to_string(who.pid) : "",
                        who.tid != 0 ? std::to_string(who.tid) : "", base::csv_field(who.command),
                        line.op, op.calls, op.bytes, op.asked_bytes, op.errors, op.interrupted,
                        op.would_block, op.short_calls, op.ends, op.timed, line.ns,
                        or_empty(line.p50_ns), or_empty(line.p99_ns));
    }
    return text;
}

}  // namespace

std::vector<IoLine> io_lines(const io_counts& counts, double ns_per_tick) {
    std::vector<IoLine> lines;
    for (int op = 0; op < IO_OPS; ++op) {
        IoLine line{op_names[op],
                    &counts.ops[op],
                    to_ns(static_cast<double>(counts.ops[op].ticks), ns_per_tick),
                    {},
                    {}};
        if (op < IO_TIMED_OPS && line.counts->timed != 0) {
            using components::io::percentile;
            line.p50_ns = to_ns(percentile(counts.histograms[op], 50), ns_per_tick);
            line.p99_ns = to_ns(percentile(counts.histograms[op], 99), ns_per_tick);
        }
        lines.push_back(line);
    }
    return lines;
}

io_counts io_total(const model::IoRecord& record) {
    io_counts total{};
    for (const auto& thread : record.threads) model::add(total, thread.counts);
    return total;
}

std::vector<model::IoFile> sorted_files(const IoReport& report) {
    auto files = report.record.files;
    std::stable_sort(files.begin(), files.end(), [&](const auto& left, const auto& right) {
        if (left.path.empty() != right.path.empty()) return right.path.empty();
        return weight(left.counts, report.sort) > weight(right.counts, report.sort);
    });
    return files;
}

std::string io_json(const IoReport& report) {
    const double rate = report.record.ns_per_tick;
    Json json;
    json["schema"] = "ringside.io/1";
    json["command"] = report.command.empty() ? Json() : Json(report.command);
    json["pid"] = report.pid != 0 ? Json(report.pid) : Json(nullptr);
    json["exit_code"] = report.exit_code;
    json["method"] = report.method;
    json["method_reason"] = report.reason;
    json["wall_s"] = report.seconds;
    json["total"] = json_of(io_total(report.record), rate);
    json["threads"] = Json::array();
    for (const auto& thread : report.record.threads) {
        json["threads"].push_back({{"pid", thread.pid},
                                   {"tid", thread.tid != 0 ? Json(thread.tid) : Json(nullptr)},
                                   {"command", thread.command},
                                   {"operations", json_of(thread.counts, rate)}});
    }
    json["files"] = Json::array();
    for (const auto& file : sorted_files(report)) json["files"].push_back(json_of(file, rate));
    return json.text();
}

// Operations of all, then of each thread, then files, which have fewer columns filled.
std::string io_csv(const IoReport& report) {
    const double rate = report.record.ns_per_tick;
    std::string text =
        "scope,pid,tid,name,operation,calls,bytes,asked_bytes,errors,interrupted,would_block,short,"
        "eof,kernel_calls,kernel_ns,p50_ns,p99_ns\n";
    model::IoThread all;
    all.counts = io_total(report.record);
    text += csv_lines("total", all, rate);
    for (const auto& thread : report.record.threads) text += csv_lines("thread", thread, rate);
    for (const auto& file : sorted_files(report)) {
        const io_file_counts& counts = file.counts;
        text += fmt::format("file,,,{},read,{},{},,,,,,,,{},,\n", base::csv_field(file.path),
                            counts.read_calls, counts.read_bytes,
                            to_ns(static_cast<double>(counts.read_ticks), rate));
        text += fmt::format("file,,,{},write,{},{},,,,,,,,{},,\n", base::csv_field(file.path),
                            counts.write_calls, counts.write_bytes,
                            to_ns(static_cast<double>(counts.write_ticks), rate));
    }
    return text;
}

}  // namespace ringside::report
