#include "compare/perf_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::compare {

namespace {

using base::trim;
using run::Hit;
using run::Sampled;

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<double> parse_percent(std::string_view text) {
    if (!text.ends_with('%')) return std::nullopt;
    return parse_double(text.substr(0, text.size() - 1));
}

// Cells stand apart by two blanks or more; one blank is part of a cell.
std::vector<std::string_view> split_cells(std::string_view line) {
    std::vector<std::string_view> cells;
    line = trim(line);
    while (!line.empty()) {
        const auto gap = line.find("  ");
        cells.push_back(trim(line.substr(0, gap)));
        line = gap == std::string_view::npos ? std::string_view() : trim(line.substr(gap));
    }
    return cells;
}

// Where each column begins, by the line of dots below the titles.
std::vector<std::size_t> column_starts(std::string_view dots) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 1; i < dots.size(); ++i) {
        if (dots[i] == '.' && dots[i - 1] != '.') starts.push_back(i);
    }
    return starts;
}

bool is_dots(std::string_view line) {
    return line.starts_with("# ..") && line.find_first_not_of("#. ") == std::string_view::npos;
}

class Reader {
  public:
    explicit Reader(std::string_view text) : lines_(base::split_lines(text)) {}

    Result<PerfReport> read() {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto line = base::trim_end(lines_[i]);
            const auto before = i > 0 ? base::trim_end(lines_[i - 1]) : std::string_view();
            if (is_dots(line) && before.starts_with('#')) {
                begin_table(before.substr(1), line);
            } else if (line.starts_with('#')) {
                take_remark(trim(line.substr(1)));
            } else if (!line.empty()) {
                if (auto taken = take_row(line); !taken) return taken.error();
            }
        }
        if (report_.run.sampled.empty() || !had_table_) {
            return base::fail(ErrorCode::bad_input, "no table of perf report in it",
                              "make it with `perf report --stdio`, sorted by dso and symbol");
        }
        return std::move(report_);
    }

  private:
    void begin_table(std::string_view titles, std::string_view dots) {
        constexpr std::size_t most_columns = 64;  // each row is looked at for each of them
        titles_.clear();
        for (const auto title : split_cells(titles)) {
            if (titles_.size() < most_columns) titles_.emplace_back(title);
        }
        starts_ = column_starts(dots);
        starts_.resize(std::min(starts_.size(), most_columns));
        had_table_ = true;
        if (report_.run.sampled.empty()) report_.run.sampled.push_back({"unknown", "%", 0, lost_});
    }

    void take_remark(std::string_view remark) {
        if (remark.starts_with("Samples:")) return begin_event(remark);
        const auto after = [&](std::string_view start) -> std::optional<std::string_view> {
            if (!remark.starts_with(start)) return std::nullopt;
            const auto colon = remark.find(':');
            if (colon == std::string_view::npos) return std::nullopt;
            return trim(remark.substr(colon + 1));
        };
        if (const auto count = after("Event count (approx.)")) {
            whole_ = parse_double(*count);
            if (whole_ && !report_.run.sampled.empty()) report_.run.sampled.back().unit = unit();
        }
        if (const auto lost = after("Total Lost Samples")) lost_ = parse_double(*lost).value_or(0);
        auto& environment = report_.environment;
        if (const auto release = after("os release")) environment.kernel = *release;
        if (const auto cpu = after("cpudesc")) environment.cpu = *cpu;
        if (const auto cpus = after("nrcpus online")) {
            if (const auto number = base::parse_u64(*cpus)) {
                environment.cpus = static_cast<int>(*number);
            }
        }
        if (const auto memory = after("total memory")) {
            const auto words = base::split_words(*memory);
            const auto kb = words.empty() ? std::nullopt : base::parse_u64(words[0]);
            if (kb) environment.memory_bytes = static_cast<double>(*kb) * 1024;
        }
    }

    std::string unit() const {
        const auto& event = report_.run.sampled.back().event;
        return event.starts_with("cpu-clock") || event.starts_with("task-clock") ? "ns" : "";
    }

    // "Samples: 4K of event 'cycles:ppp'", or "of events 'anon group { a, b }'".
    void begin_event(std::string_view remark) {
        const auto open = remark.find('\'');
        const auto close = remark.rfind('\'');
        std::string name = "unknown";
        if (open != std::string_view::npos && close > open) {
            name = remark.substr(open + 1, close - open - 1);
        }
        report_.run.sampled.push_back({std::move(name), "%", 0, lost_});
        lost_ = 0;
        whole_.reset();
        titles_.clear();
    }

    std::vector<std::string_view> cells_of(std::string_view line) const {
        auto cells = split_cells(line);
        if (cells.size() == titles_.size()) return cells;
        // A cell is empty: only its place tells which.
        cells.clear();
        for (std::size_t i = 0; i < starts_.size(); ++i) {
            const std::size_t begin = i == 0 ? 0 : starts_[i];
            const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : line.size();
            cells.push_back(begin < line.size() ? trim(line.substr(begin, end - begin))
                                                : std::string_view());
        }
        return cells;
    }

    std::string_view cell(const std::vector<std::string_view>& cells,
                          std::string_view title) const {
        for (std::size_t i = 0; i < titles_.size() && i < cells.size(); ++i) {
            if (titles_[i] == title) return cells[i];
        }
        return {};
    }

    Result<void> take_row(std::string_view line) {
        if (titles_.empty()) return {};
        const auto first = base::split_words(line);
        // Branches of a call graph, and what perf says between tables.
        if (first.empty() || !parse_percent(first[0])) return {};
        const auto cells = cells_of(line);
        auto share = parse_percent(cell(cells, "Self"));
        if (!share) share = parse_percent(cell(cells, "Overhead"));
        if (!share) {
            return base::fail(ErrorCode::bad_input,
                              fmt::format("a row without an overhead: {}", trim(line)));
        }
        add_hit(*share, cells);
        return {};
    }

    void add_hit(double share, const std::vector<std::string_view>& cells) {
        Hit hit;
        Sampled& sampled = report_.run.sampled.back();
        hit.event = sampled.event;
        hit.module = cell(cells, "Shared Object");
        if (hit.module.empty()) hit.module = "[unknown]";
        set_symbol(hit, cell(cells, "Symbol"));
        hit.samples = parse_double(cell(cells, "Samples")).value_or(0);
        sampled.samples += hit.samples;
        const auto period = parse_double(cell(cells, "Period"));
        hit.value = period ? *period : whole_ ? share / 100 * *whole_ : share;
        report_.run.hits.push_back(std::move(hit));
    }

    // "[k] copy_page": the mark says in which mode it ran; k and g are kernels, H a hypervisor.
    static void set_symbol(Hit& hit, std::string_view text) {
        if (text.size() > 3 && text[0] == '[' && text[2] == ']') {
            hit.in_kernel = text[1] == 'k' || text[1] == 'g' || text[1] == 'H';
            text = trim(text.substr(3));
        } else {
            hit.in_kernel = hit.module.starts_with("[kernel");
        }
        hit.symbol = text.empty() ? "[module]" : std::string(text);
        hit.resolved = !text.starts_with("0x") && !text.starts_with("0000");
    }

    std::vector<std::string_view> lines_;
    PerfReport report_;
    std::vector<std::string> titles_;
    std::vector<std::size_t> starts_;
    std::optional<double> whole_;
    double lost_ = 0;
    bool had_table_ = false;
};

}  // namespace

bool looks_like_perf_report(std::string_view text) {
    for (const auto line : base::split_lines(text.substr(0, 65536))) {
        const auto remark = trim(line);
        if (remark.empty()) continue;
        if (!remark.starts_with('#')) return false;
        if (is_dots(remark) || base::contains(remark, "Samples:")) return true;
    }
    return false;
}

Result<PerfReport> parse_perf_report(std::string_view text) {
    return Reader(text).read();
}

}  // namespace ringside::compare
