#include "cli/compare_charts.h"

#include <algorithm>

#include "base/error.h"
#include "base/file_io.h"
#include "base/install_paths.h"
#include "render/layout.h"

namespace ringside::cli {

using base::fail;

void ChartOptions::declare(Options& options) {
    options.texts("--chart", "[KIND=]FILE", texts_,
                  "also draw into FILE.svg, .png, .pdf or .eps; KIND is one of " +
                      report::chart_kind_names() + " [bars]; may be repeated");
    options.text("--caption", "TEXT", caption_, "what stands below the charts [what they show]");
}

Result<ChartOptions::Chart> ChartOptions::parse(const std::string& text) {
    Chart chart;
    chart.file = text;
    const auto equals = text.find('=');
    if (equals != std::string::npos && text.find('/') > equals) {
        const auto kind = report::parse_chart_kind(text.substr(0, equals));
        if (!kind) {
            return fail(ErrorCode::bad_input,
                        "--chart knows no kind " + text.substr(0, equals) + ", only " +
                            report::chart_kind_names(),
                        "write ./" + text + " if that is the name of a file");
        }
        chart.kind = *kind;
        chart.file = text.substr(equals + 1);
    }
    const auto format = render::format_of(chart.file);
    if (!format) {
        return fail(ErrorCode::bad_input, "--chart draws SVG, PNG, PDF and EPS, not " + chart.file,
                    "name a file that ends in .svg, .png, .pdf or .eps");
    }
    chart.format = *format;
    return chart;
}

Result<void> ChartOptions::check() {
    charts_.clear();
    for (const auto& text : texts_) {
        auto chart = parse(text);
        if (!chart) return chart.error();
        charts_.push_back(std::move(*chart));
    }
    const bool painted = std::any_of(charts_.begin(), charts_.end(), [](const Chart& chart) {
        return chart.format != render::Format::svg;
    });
    if (!painted) return {};
    const std::string module(render::painter_module);
    const auto folder = base::find_own_folder("paint", module);
    if (!folder) {
        return fail(ErrorCode::not_found,
                    "this build of ringside draws SVG alone: " + folder.error().what,
                    "build it with libpango1.0-dev, or name a .svg file");
    }
    module_ = *folder + "/" + module;
    return {};
}

Result<void> ChartOptions::write(const report::CompareView& view, std::size_t top) const {
    std::vector<std::string> contents;
    for (const Chart& chart : charts_) {
        auto figure = report::make_figure(view, chart.kind, top);
        if (!figure) return figure.error();
        figure->title = view.title;
        if (!caption_.empty()) figure->caption = caption_;
        auto bytes = render::paint(render::lay_out(*figure), chart.format, module_);
        if (!bytes) {
            auto error = bytes.error();
            error.what = chart.file + ": " + error.what;
            return error;
        }
        contents.push_back(std::move(*bytes));
    }
    for (std::size_t i = 0; i < charts_.size(); ++i) {
        if (auto done = base::replace_file(charts_[i].file, contents[i]); !done) return done;
    }
    return {};
}

}  // namespace ringside::cli
