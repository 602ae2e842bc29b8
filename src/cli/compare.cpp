// `ringside compare`: the same program on two or more sides, joined, tested and judged.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/text.h"
#include "cli/compare_input.h"
#include "cli/compare_view.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "compare/warnings.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using compare::Row;
using compare::Side;

// Sides of the same name cannot be told apart in a table.
void make_names_unique(std::vector<Side>& sides) {
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const std::string name = sides[i].name;
        const auto taken = [&](const std::string& wanted) {
            return std::any_of(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const Side& side) { return side.name == wanted; });
        };
        for (int n = 2; taken(sides[i].name); ++n) sides[i].name = fmt::format("{} {}", name, n);
    }
}

// Of each event the first `top` rows, which are the heaviest; 0 keeps all.
void keep_top(std::vector<Row>& rows, std::size_t top) {
    if (top == 0) return;
    std::vector<Row> kept;
    std::size_t of_event = 0;
    for (Row& row : rows) {
        of_event = kept.empty() || kept.back().event != row.event ? 0 : of_event;
        if (of_event++ < top) kept.push_back(std::move(row));
    }
    rows = std::move(kept);
}

// "dTLB-store-misses" or "cpu/event=1/" as a name of a file.
std::string file_name(std::string_view event) {
    std::string name;
    for (const char c : event) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.';
        name += plain ? c : '_';
    }
    return name + ".csv";
}

class Compare final : public Verb {
  public:
    std::string name() const override { return "compare"; }
    std::string summary() const override {
        return "compare a program's runs on several machines: joined, tested, judged";
    }
    std::string examples() const override {
        return "  ringside compare here there              folders of `ringside measure`\n"
               "  ringside compare native=a.txt vm=b.txt   text of `perf report --stdio`\n"
               "  ringside compare native=a1.data,a2.data vm=b1.data,b2.data\n"
               "                                           perf.data files, two repeats a side\n"
               "  ringside compare --csv a.txt             one file alone: as CSV\n"
               "  ringside compare --csv --top 10 --only cache-misses a.txt b.txt\n"
               "  ringside compare --split DIR a.txt b.txt a CSV file for each event\n"
               "\n"
               "The ratio is that of each side to the first, of geometric means.\n";
    }
    void declare(Options& options) override;
    Outcome run() override;

  private:
    Result<std::vector<Side>> read_files() const;
    Result<void> check();
    Result<CompareView> make_view(std::vector<Side> sides) const;
    bool is_wanted(const Row& row) const;
    Result<void> write(const CompareView& view) const;
    Result<void> write_split(const CompareView& view) const;

    OutputChoice output_;
    std::vector<std::string> files_;
    std::vector<std::string> only_;
    std::string per_text_ = "run";
    std::string split_folder_;
    std::string title_;
    double top_ = -1;
    compare::Per per_ = compare::Per::run;
};

void Compare::declare(Options& options) {
    options.operands("[NAME=]PATH", files_,
                     "a side: a run folder, perf.data, perf report's text or CSV; with commas "
                     "between, its repeats");
    options.text("--per", "UNIT", per_text_, "per run, second, instruction or share [run]");
    options.texts("--only", "EVENTS", only_, "only these events, with commas between");
    options.number("--top", "N", top_, "of each event the N heaviest functions [10; 0: all]");
    options.text("--split", "DIR", split_folder_, "also write a CSV for each event into DIR");
    options.text("--title", "TEXT", title_, "what stands above it");
    declare_output(options, output_, true);
}

Result<void> Compare::check() {
    const auto per = compare::parse_per(per_text_);
    if (!per) {
        return fail(ErrorCode::bad_input,
                    "--per wants run, second, instruction or share, not " + per_text_);
    }
    per_ = *per;
    if (top_ != -1 && (top_ < 0 || top_ != std::floor(top_))) {
        return fail(ErrorCode::bad_input, "--top wants a number of rows, 0 or more");
    }
    if (files_.empty()) {
        return fail(ErrorCode::bad_input, "nothing to compare", "name two sides or more");
    }
    return {};
}

Result<std::vector<Side>> Compare::read_files() const {
    std::vector<Side> sides;
    for (const auto& file : files_) {
        auto more = read_sides(file);
        if (!more) return more.error();
        std::move(more->begin(), more->end(), std::back_inserter(sides));
    }
    return sides;
}

bool Compare::is_wanted(const Row& row) const {
    if (only_.empty()) return true;
    for (const auto& list : only_) {
        for (const auto event : base::split(list, ',')) {
            if (base::trim(event) == row.event) return true;
        }
    }
    return false;
}

Result<CompareView> Compare::make_view(std::vector<Side> sides) const {
    make_names_unique(sides);
    auto comparison = compare::join(sides, per_);
    if (!comparison) return comparison.error();
    CompareView view;
    view.title = title_;
    view.summary = compare::judge(sides, *comparison);
    view.warnings = compare::find_warnings(sides);
    for (auto* rows : {&comparison->events, &comparison->functions, &comparison->unresolved}) {
        std::erase_if(*rows, [&](const Row& row) { return !is_wanted(row); });
        if (top_ > 0 && rows != &comparison->events)
            keep_top(*rows, static_cast<std::size_t>(top_));
    }
    view.sides = std::move(sides);
    view.comparison = std::move(*comparison);
    return view;
}

Result<void> Compare::write_split(const CompareView& view) const {
    std::error_code error;
    fs::create_directories(split_folder_, error);
    if (error) return fail(ErrorCode::io, "cannot create " + split_folder_);
    std::vector<std::string> events;
    for (const Row& row : view.comparison.functions) {
        if (events.empty() || events.back() != row.event) events.push_back(row.event);
    }
    for (const auto& event : events) {
        CompareView part = view;
        for (auto* rows :
             {&part.comparison.events, &part.comparison.functions, &part.comparison.unresolved}) {
            std::erase_if(*rows, [&](const Row& row) { return row.event != event; });
        }
        const auto file = fs::path(split_folder_) / file_name(event);
        if (auto done = base::replace_file(file.string(), compare_csv(part)); !done) return done;
    }
    return {};
}

Result<void> Compare::write(const CompareView& view) const {
    if (!split_folder_.empty()) {
        if (auto done = write_split(view); !done) return done;
    }
    constexpr std::size_t shown_at_first = 10;
    const std::size_t top = top_ < 0 ? shown_at_first : static_cast<std::size_t>(top_);
    const Style style(output_.file.empty() ? stdout : nullptr);
    return deliver(output_, output_.json  ? compare_json(view)
                            : output_.csv ? compare_csv(view)
                                          : compare_text(view, top, style));
}

Outcome Compare::run() {
    if (auto sound = check(); !sound) return sound.error();
    auto sides = read_files();
    if (!sides) return sides.error();
    const auto view = make_view(std::move(*sides));
    if (!view) return view.error();
    if (auto written = write(*view); !written) return written.error();
    return 0;
}

}  // namespace

std::unique_ptr<Verb> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace ringside::cli
