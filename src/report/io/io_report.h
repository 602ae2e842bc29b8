// What `ringside io` says, as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/io.h"
#include "report/style.h"

namespace ringside::report {

enum class IoSort { time, bytes, calls };

struct IoReport {
    std::vector<std::string> command;  // or
    int pid = 0;
    std::optional<int> exit_code;
    std::string method;  // "preload", "kernel"
    std::string reason;  // why that one
    double seconds = 0;
    model::IoRecord record;
    IoSort sort = IoSort::time;
    bool per_thread = false;
    bool all_files = false;
};

// One operation's numbers, ready to be shown.
struct IoLine {
    std::string_view op;  // "read", "sock_read"
    const io_op_counts* counts;
    std::uint64_t ns = 0;
    // Of calls that reached the kernel; none where there were none, or no histogram is kept.
    std::optional<std::uint64_t> p50_ns;
    std::optional<std::uint64_t> p99_ns;
};
// Every operation, used or not.
std::vector<IoLine> io_lines(const io_counts& counts, double ns_per_tick);

io_counts io_total(const model::IoRecord& record);
// In the report's order; the row of those without a name last.
std::vector<model::IoFile> sorted_files(const IoReport& report);

std::string io_text(const IoReport& report, const Style& style);
std::string io_json(const IoReport& report);
std::string io_csv(const IoReport& report);

}  // namespace ringside::report
