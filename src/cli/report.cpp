// `ringside report`: a recorded profile as a table or a call graph.
#include "base/error.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/verbs.h"
#include "report/profile/profile_view.h"

namespace ringside::cli {

namespace {

using profile::Column;

class ReportVerb final : public Verb {
  public:
    std::string name() const override { return "report"; }
    std::string summary() const override { return "show a recorded profile as a table"; }
    std::string examples() const override {
        return "  ringside report                          the last recording here, by command, "
               "module and symbol\n"
               "  ringside report -i vm.data --sort dso    by module alone\n"
               "  ringside report --mode guest             only what ran in guests\n"
               "  ringside report --time 10%-20%           only that part of the time\n"
               "  ringside report --children               callers with all they called\n"
               "  ringside report --call-graph=callee      who calls the hot functions\n"
               "  ringside report --json -o r.json         every row, for programs\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, true);
        input_.declare(options);
        input_.declare_filters(options);
        options.text("-s, --sort", "KEYS", keys_,
                     "comm, pid, tid, cpu, cgroup, dso, symbol, srcline, mode, event "
                     "[comm,dso,symbol]");
        options.flag("--children", children_, "add what a function called to its own share");
        options.optional_text("-g, --call-graph", "ORDER", graph_,
                              "a tree instead of rows, by caller or callee [caller]");
        options.number("--percent-limit", "PERCENT", least_percent_,
                       "leave out lighter rows of the text [0]");
        options.number("--graph-limit", "PERCENT", least_graph_percent_,
                       "leave out lighter branches of call graphs [0.5]");
    }

    Outcome run() override {
        auto columns = profile::parse_columns(keys_);
        if (!columns) return columns.error();
        const auto graph = call_graph();
        if (!graph) return graph.error();
        if (auto fits = check_children(*columns); !fits) return fits.error();
        auto options = input_.load_options();
        if (!options) return options.error();
        options->keep = profile::kept_for(*columns);
        options->keep.stack = children_ || *graph != report::CallGraph::none;
        options->keep.comm = options->keep.comm || *graph != report::CallGraph::none;
        // The text of a call graph is a tree and has no rows.
        const bool only_tree = *graph != report::CallGraph::none && !output_.json && !output_.csv;
        auto sources = input_.sources();
        sources.inlined = sources.inlined && options->keep.stack;
        sources.lines = has_column(*columns, Column::line);
        if (options->keep.stack && !sources.lines) options->fold = sources;
        options->fold_unnamed = only_tree && options->filter.symbols.empty();
        auto loaded = profile::load(input_.file, *options);
        if (!loaded) return loaded.error();
        const auto naming = profile::symbolize(*loaded, sources);
        profile::keep_named(*loaded, naming, options->filter);
        auto rows = only_tree ? profile::no_rows(*loaded)
                              : profile::make_rows(*loaded, naming, *columns, children_);
        // The event that only tracks what is mapped and forked never has samples.
        std::erase_if(rows, [&](const profile::EventRows& event) {
            const auto& totals = loaded->events[event.event];
            return totals.samples == 0 && totals.name.starts_with("dummy");
        });
        const report::ProfileView view{
            *loaded, naming, *columns, children_, *graph, least_percent_, least_graph_percent_};
        input_.print_warnings("ringside report", *loaded);
        const std::string text = output_.json  ? report::profile_json(view, rows)
                                 : output_.csv ? report::profile_csv(view, rows)
                                               : report::profile_text(view, rows);
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

  private:
    Result<report::CallGraph> call_graph() const {
        if (!graph_) return report::CallGraph::none;
        if (graph_->empty() || *graph_ == "caller") return report::CallGraph::caller;
        if (*graph_ == "callee") return report::CallGraph::callee;
        return base::fail(ErrorCode::bad_input,
                          "unknown sort order \"" + *graph_ + "\" of call graphs",
                          "use caller or callee");
    }

    // A caller runs on no one CPU or line: its rows can only be told apart by name.
    Result<void> check_children(const std::vector<Column>& columns) const {
        if (!children_) return {};
        for (const auto column : columns)
            if (column != Column::comm && column != Column::module && column != Column::symbol &&
                column != Column::mode && column != Column::event)
                return base::fail(
                    ErrorCode::bad_input,
                    "--children cannot be sorted by " + std::string(to_string(column)),
                    "use comm, dso, symbol, mode or event");
        return {};
    }

    OutputChoice output_;
    ProfileInput input_;
    std::string keys_ = "comm,dso,symbol";
    double least_percent_ = 0;
    double least_graph_percent_ = 0.5;
    bool children_ = false;
    std::optional<std::string> graph_;
};

}  // namespace

std::unique_ptr<Verb> make_report() {
    return std::make_unique<ReportVerb>();
}

}  // namespace ringside::cli
