// The charts that `ringside compare` was asked for, as files.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "cli/options.h"
#include "render/painter.h"
#include "report/compare/compare_figures.h"

namespace ringside::cli {

class ChartOptions {
  public:
    void declare(Options& options);
    // Before anything is measured: that each file has a kind and a format that can be drawn.
    Result<void> check();
    // All of them, or, where one cannot be drawn, none.
    Result<void> write(const report::CompareView& view, std::size_t top) const;

  private:
    struct Chart {
        report::ChartKind kind = report::ChartKind::bars;
        std::string file;
        render::Format format = render::Format::svg;
    };
    static Result<Chart> parse(const std::string& text);

    std::vector<std::string> texts_;
    std::vector<Chart> charts_;
    std::string caption_;
    std::string module_;  // of what paints all but SVG
};

}  // namespace ringside::cli
