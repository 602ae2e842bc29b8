#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "report/amounts.h"
#include "report/io/io_report.h"

namespace ringside::report {

namespace {

constexpr std::size_t files_shown = 10;

std::string time_text(const std::optional<std::uint64_t>& ns) {
    return ns ? report::time_text(*ns) : "-";
}

bool moves_bytes(std::string_view op) {
    return op != "open" && op != "close" && op != "seek" && op != "select";
}

std::string table_of(const io_counts& counts, double ns_per_tick, const Style& style) {
    std::string text = style.dim(fmt::format(
        "{:<11}{:>10}{:>11}{:>11}{:>8}{:>8}{:>7}{:>11}{:>10}{:>10}{:>10}\n", "", "calls", "bytes",
        "a call", "errors", "short", "eof", "in kernel", "time", "p50", "p99"));
    bool any = false;
    for (const IoLine& line : io_lines(counts, ns_per_tick)) {
        const io_op_counts& op = *line.counts;
        if (op.calls == 0 && op.timed == 0) continue;
        any = true;
        const bool bytes = moves_bytes(line.op);
        const std::string name = line.op.starts_with("sock_")
                                     ? "  " + std::string(line.op.substr(5)) + " sock"
                                     : std::string(line.op);
        text += fmt::format("{:<11}{:>10}{:>11}{:>11}{:>8}{:>8}{:>7}{:>11}{:>10}{:>10}{:>10}\n",
                            name, op.calls, bytes ? bytes_text(op.bytes) : "",
                            bytes && op.calls != 0 ? bytes_text(op.bytes / op.calls) : "",
                            op.errors, bytes ? std::to_string(op.short_calls) : "",
                            bytes ? std::to_string(op.ends) : "", op.timed, time_text(line.ns),
                            time_text(line.p50_ns), time_text(line.p99_ns));
    }
    return any ? text : "no I/O\n";
}

std::string threads_of(const IoReport& report, const Style& style) {
    std::string text;
    for (const auto& thread : report.record.threads) {
        const std::string who =
            thread.tid != 0 ? fmt::format("thread {} of process {}", thread.tid, thread.pid)
            : thread.pid != 0
                ? fmt::format("process {}: threads and signal handlers without a row of their own",
                              thread.pid)
                : std::string("threads without a row of their own");
        const std::string rows = table_of(thread.counts, report.record.ns_per_tick, style);
        text += fmt::format(
            "\n{}\n{}", style.strong(fmt::format("{} ({})", who, base::visible(thread.command))),
            rows);
    }
    return text;
}

std::string files_of(const IoReport& report, const Style& style) {
    const auto files = sorted_files(report);
    if (files.empty()) return {};
    std::string text =
        "\n" + style.dim(fmt::format("{:>10}{:>11}{:>10}{:>11}{:>11}{:>10}  {}\n", "reads", "bytes",
                                     "time", "writes", "bytes", "time", "file"));
    const std::size_t shown = report.all_files ? files.size() : std::min(files.size(), files_shown);
    for (std::size_t i = 0; i < shown; ++i) {
        const io_file_counts& counts = files[i].counts;
        const auto time = [&](std::uint64_t ticks) {
            return time_text(
                static_cast<std::uint64_t>(static_cast<double>(ticks) * report.record.ns_per_tick));
        };
        text +=
            fmt::format("{:>10}{:>11}{:>10}{:>11}{:>11}{:>10}  {}\n", counts.read_calls,
                        bytes_text(counts.read_bytes), time(counts.read_ticks), counts.write_calls,
                        bytes_text(counts.write_bytes), time(counts.write_ticks),
                        files[i].path.empty() ? "(others)" : base::visible(files[i].path));
    }
    if (shown < files.size()) {
        text += fmt::format("{:>65}{} more; --files shows all\n", "", files.size() - shown);
    }
    return text;
}

std::string summary_of(const IoReport& report) {
    const auto& record = report.record;
    std::string text = fmt::format("counted by {} ({})", report.method, report.reason);
    if (record.programs != 0) text += fmt::format(" in {} programs", record.programs);
    text += fmt::format(", {} threads, {:.3f} s", record.threads.size(), report.seconds);
    if (report.exit_code) text += fmt::format(", exit code {}", *report.exit_code);
    return text + "\n";
}

}  // namespace

std::string io_text(const IoReport& report, const Style& style) {
    std::string text = "\n" + table_of(io_total(report.record), report.record.ns_per_tick, style);
    text += files_of(report, style);
    if (report.per_thread) text += threads_of(report, style);
    return text + "\n" + style.dim(summary_of(report));
}

}  // namespace ringside::report
