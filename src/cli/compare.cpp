// `ringside compare`: the same program on two or more sides, joined, tested and judged.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file_io.h"
#include "base/scratch_dir.h"
#include "base/text.h"
#include "cli/compare_charts.h"
#include "cli/compare_input.h"
#include "cli/measure_options.h"
#include "cli/output.h"
#include "cli/side_names.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "compare/flames.h"
#include "compare/warnings.h"
#include "guest/files.h"
#include "places/place.h"
#include "report/compare/compare_figures.h"
#include "report/compare/compare_page.h"
#include "report/compare/compare_view.h"

namespace ringside::cli {

namespace {

namespace fs = std::filesystem;
using base::fail;
using compare::Row;
using report::CompareView;
using run::Side;

// What a browser draws at once, and more than anybody reads.
constexpr std::size_t most_frames = 2000;

Result<void> write_event_files(const CompareView& view, const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail(ErrorCode::io, "cannot create " + folder);
    for (const auto& [event, csv] : report::compare_event_files(view)) {
        const auto file = fs::path(folder) / (places::plain_file(event) + ".csv");
        if (auto done = base::replace_file(file.string(), csv); !done) return done;
    }
    return {};
}

Result<void> write_flame_graph(const CompareView& view, const std::string& file) {
    const auto graph = report::compare_flame_graph(view);
    return graph ? base::replace_file(file, *graph) : Result<void>(graph.error());
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

class Compare final : public Verb {
  public:
    std::string name() const override { return "compare"; }
    std::string summary() const override {
        return "run a program here and in a guest, or take runs from files, and compare them";
    }
    std::string examples() const override {
        return "  ringside compare -- ./solver a.dat       here and in the embedded guest, 5 times "
               "each\n"
               "  ringside compare -r 10 -e page-faults,context-switches -- ./solver a.dat\n"
               "  ringside compare -o report.html -- ./solver a.dat\n"
               "                                           also as a page for a browser\n"
               "  ringside compare --guest ssh:me@vm -- ./solver a.dat\n"
               "                                           in a virtual machine that exists\n"
               "  ringside compare --on a=native --on b=ssh:me@b --on c=guest -- ./solver a.dat\n"
               "  ringside compare --co-run ./other -- ./solver a.dat\n"
               "                                           both here; then each in a guest of its "
               "own\n"
               "  ringside compare --keep runs -- ./solver a.dat; ringside compare --csv runs\n"
               "  ringside compare here there              folders of `ringside measure`\n"
               "  ringside compare native=a.txt vm=b.txt   text of `perf report --stdio`\n"
               "  ringside compare native=a1.data,a2.data vm=b1.data,b2.data\n"
               "                                           perf.data files, two repeats a side\n"
               "  ringside compare --csv a.txt             one file alone: as CSV\n"
               "  ringside compare --csv --top 10 --only cache-misses a.txt b.txt\n"
               "  ringside compare --split DIR a.txt b.txt a CSV file for each event\n"
               "  ringside compare --chart f3.eps --chart circle=f7.pdf --series Host,VM a.csv "
               "b.csv\n"
               "\n"
               "The ratio is that of each side to the first, of geometric means. What the program\n"
               "prints goes to files of its run. The guest sees the files of this machine, but\n"
               "for secrets; what it writes is gone with it. Under TCG, which is said, it measures "
               "emulation.\n";
    }
    void declare(Options& options) override;
    Outcome run() override;

  private:
    Result<std::vector<Side>> read_files() const;
    Outcome compare_files();
    Outcome compare_command();
    Result<std::vector<places::PlaceAddress>> addresses() const;
    Outcome measure_all(const fs::path& folder, std::vector<Side>& sides) const;
    Result<void> show(std::vector<Side> sides) const;
    Result<void> check();
    Result<CompareView> make_view(std::vector<Side> sides) const;
    bool is_wanted(const std::string& event) const;
    // -o FILE.html is the page, beside what is printed.
    bool wants_page() const { return output_.file.ends_with(".html"); }
    bool wants_stacks() const { return wants_page() || !flame_.empty(); }
    Result<void> write(const CompareView& view) const;

    OutputChoice output_;
    std::vector<std::string> files_;
    std::vector<std::string> only_;
    std::string per_text_ = "run";
    std::string split_folder_;
    ChartOptions charts_;
    std::string flame_;
    std::string title_;
    std::string series_;
    std::string guest_ = "guest";
    std::string co_run_in_ = "other";
    std::vector<std::string> on_;
    bool no_exits_ = false;
    std::string keep_;
    places::GuestOptions guest_options_;
    measure::Plan plan_;
    double top_ = -1;
    run::Per per_ = run::Per::run;
};

void Compare::declare(Options& options) {
    options.operands("[NAME=]PATH", files_,
                     "a side: a run folder, perf.data, perf report's text or CSV; with commas "
                     "between, its repeats");
    options.text("--per", "UNIT", per_text_, "per run, second, instruction or share [run]");
    options.texts("--only", "EVENTS", only_, "only these events, comma-separated");
    options.number("--top", "N", top_, "of each event the N heaviest functions [10; 0: all]");
    options.text("--split", "DIR", split_folder_, "also write a CSV for each event into DIR");
    charts_.declare(options);
    options.text("--flame", "FILE.svg", flame_,
                 "also draw the stacks of that event, coloured by what changed between the sides");
    options.text("--title", "TEXT", title_, "what stands above table and charts [the command]");
    options.text("--series", "NAMES", series_, "what the sides are called, comma-separated");
    declare_output(options, output_, true);
    declare_plan(options, plan_);
    options.text("--guest", "TARGET", guest_,
                 "the other side: guest, ssh:USER@HOST, box:KIND, box:KIND/inner [guest]");
    options.texts("--on", "NAME=TARGET", on_, "a side, instead of native and vm; may be repeated");
    options.number("--memory", "MB", guest_options_.memory_mb, "of the embedded guest [2048]");
    options.number("--cpus", "N", guest_options_.cpus, "of the embedded guest [as many as here]");
    declare_sharing(options, guest_options_);
    options.texts("--with-build", "DIR", guest_options_.builds,
                  "for boxes: DIR/ringside goes into them");
    options.text("--co-run-in", "PLACE", co_run_in_,
                 "where --co-run runs for the embedded guest: same guest, or another [other]");
    options.flag("--no-exits", no_exits_,
                 "under KVM: spare the additional run that counts why the guest exits");
    options.text("--keep", "DIR", keep_, "keep all that was measured in DIR, new or empty");
    options.command(plan_.command);
}

Result<void> Compare::check() {
    const auto per = run::parse_per(per_text_);
    if (!per) {
        return fail(ErrorCode::bad_input,
                    "--per requires run, second, instruction or share, not " + per_text_);
    }
    per_ = *per;
    if (top_ != -1 && (top_ < 0 || top_ != std::floor(top_))) {
        return fail(ErrorCode::bad_input, "--top requires a number of rows, 0 or more");
    }
    if (co_run_in_ != "same" && co_run_in_ != "other") {
        return fail(ErrorCode::bad_input, "--co-run-in requires same or other, not " + co_run_in_);
    }
    guest_options_.co_run_apart = co_run_in_ == "other";
    guest_options_.exits = !no_exits_;
    if (auto sound = charts_.check(); !sound) return sound;
    if (!flame_.empty() && !flame_.ends_with(".svg")) {
        return fail(ErrorCode::bad_input, "--flame draws SVG: name a file that ends in .svg");
    }
    if (files_.empty() && plan_.command.empty()) {
        return fail(ErrorCode::bad_input, "nothing to compare",
                    "give a command after --, or name the files of two sides");
    }
    if (!files_.empty() && !plan_.command.empty()) {
        return fail(ErrorCode::bad_input, "a command or files, not both");
    }
    if (!(guest_options_.memory_mb >= 128 && guest_options_.memory_mb <= 1 << 20) ||
        !(guest_options_.cpus >= 0 && guest_options_.cpus <= 64)) {
        return fail(ErrorCode::bad_input, "--memory requires 128 MB or more, --cpus 1 to 64");
    }
    return {};
}

Result<std::vector<places::PlaceAddress>> Compare::addresses() const {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& text : on_) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail(ErrorCode::bad_input, "--on requires NAME=TARGET, not " + text);
        }
        texts.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (texts.empty()) texts = {{"native", "native"}, {"vm", guest_}};
    std::vector<places::PlaceAddress> addresses;
    for (const auto& [name, text] : texts) {
        auto address = places::PlaceAddress::parse(name, text);
        if (!address) return address.error();
        addresses.push_back(std::move(*address));
    }
    return addresses;
}

Result<std::vector<Side>> Compare::read_files() const {
    std::vector<Side> sides;
    for (const auto& file : files_) {
        auto more = read_sides(file, wants_stacks());
        if (!more) return more.error();
        std::move(more->begin(), more->end(), std::back_inserter(sides));
    }
    return sides;
}

bool Compare::is_wanted(const std::string& event) const {
    if (only_.empty()) return true;
    for (const auto& list : only_) {
        for (const auto wanted : base::split(list, ',')) {
            if (base::trim(wanted) == event) return true;
        }
    }
    return false;
}

Result<CompareView> Compare::make_view(std::vector<Side> sides) const {
    if (auto named = name_sides(series_, sides); !named) return named.error();
    auto comparison = compare::join(sides, per_);
    if (!comparison) return comparison.error();
    CompareView view;
    view.title = title_;
    view.summary = compare::judge(sides, *comparison);
    view.warnings = compare::find_warnings(sides);
    for (auto* rows : {&comparison->events, &comparison->functions, &comparison->unresolved}) {
        std::erase_if(*rows, [&](const Row& row) { return !is_wanted(row.event); });
        if (top_ > 0 && rows != &comparison->events)
            keep_top(*rows, static_cast<std::size_t>(top_));
    }
    if (wants_stacks()) {
        view.flames = compare::join_flames(sides, most_frames);
        std::erase_if(view.flames, [&](const auto& figure) { return !is_wanted(figure.event); });
    }
    view.sides = std::move(sides);
    view.comparison = std::move(*comparison);
    return view;
}

Result<void> Compare::write(const CompareView& view) const {
    constexpr std::size_t shown_at_first = 10;
    const std::size_t drawn = top_ > 0 ? static_cast<std::size_t>(top_) : shown_at_first;
    if (auto done = charts_.write(view, drawn); !done) return done;
    if (!split_folder_.empty()) {
        if (auto done = write_event_files(view, split_folder_); !done) return done;
    }
    if (!flame_.empty()) {
        if (auto done = write_flame_graph(view, flame_); !done) return done;
    }
    const std::size_t top = top_ < 0 ? shown_at_first : static_cast<std::size_t>(top_);
    OutputChoice output = output_;
    if (wants_page()) {
        const auto page = report::compare_page(view, top_ > 0 ? top : shown_at_first, version);
        if (auto done = deliver_bytes(output, page); !done) return done;
        output.file.clear();
    }
    const report::Style style(output.file.empty() ? stdout : nullptr);
    return deliver(output, output_.json  ? report::compare_json(view)
                           : output_.csv ? report::compare_csv(view)
                                         : report::compare_text(view, top, style));
}

Result<void> Compare::show(std::vector<Side> sides) const {
    const auto view = make_view(std::move(sides));
    if (!view) return view.error();
    return write(*view);
}

Outcome Compare::measure_all(const fs::path& folder, std::vector<Side>& sides) const {
    const auto list = addresses();
    if (!list) return list.error();
    const measure::StopSignals stop;
    const places::PlaceOptions options{guest_options_, [](const std::string& line) {
                                           print_text(stderr,
                                                      fmt::format("ringside compare: {}\n", line));
                                       }};
    places::Places all;
    for (const auto& address : *list) all.push_back(places::make_place(address, options, stop));
    Outcome outcome = places::measure_all(all, plan_, folder, sides);
    if (outcome.error && outcome.error->code == ErrorCode::interrupted) {
        const int signal = outcome.error->sys_errno;
        outcome.exit_code = 128 + (signal != 0 ? signal : stop.taken());
    }
    return outcome;
}

Outcome Compare::compare_command() {
    if (auto sound = plan_.check(); !sound) return sound.error();
    if (auto sound = check_names(series_, on_.empty() ? 2 : on_.size()); !sound)
        return sound.error();
    auto scratch = base::ScratchDir::make("ringside-compare");
    if (!scratch) return scratch.error();
    fs::path folder = scratch->path();
    if (!keep_.empty()) {
        std::error_code error;
        folder = fs::absolute(keep_, error);
        if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
            return fail(ErrorCode::bad_input, keep_ + " is there already, and not empty");
        }
        fs::create_directories(folder, error);
        if (error) return fail(ErrorCode::io, "cannot create " + keep_ + ": " + error.message());
    }
    if (title_.empty()) title_ = fmt::format("{}", fmt::join(plan_.command, " "));
    std::vector<Side> sides;
    Outcome measured = measure_all(folder, sides);
    if (measured.error) return measured;
    if (auto shown = show(std::move(sides)); !shown) return shown.error();
    return measured.exit_code;
}

Outcome Compare::compare_files() {
    auto sides = read_files();
    if (!sides) return sides.error();
    if (auto shown = show(std::move(*sides)); !shown) return shown.error();
    return 0;
}

Outcome Compare::run() {
    if (auto sound = check(); !sound) return sound.error();
    return plan_.command.empty() ? compare_files() : compare_command();
}

}  // namespace

std::unique_ptr<Verb> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace ringside::cli
