#include "report/compare/compare_cells.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/amounts.h"

namespace ringside::report {

std::string amount(double value, const std::string& unit) {
    if (unit == "ns") return fmt::format("{:.6f}", value / 1e9);
    if (value == std::floor(value) && std::abs(value) < 1e15) return grouped(value);
    return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : grouped(value);
}

std::string unit_text(const std::string& unit) {
    if (unit.empty()) return "";
    return unit == "ns" ? " [s]" : " [" + unit + "]";
}

std::string kind_text(run::SideKind kind) {
    if (kind == run::SideKind::tcg) return "emulated guest (TCG)";
    if (kind == run::SideKind::kvm) return "guest under KVM";
    return std::string(to_string(kind));
}

bool is_new_on(const compare::Row& row, std::size_t side) {
    return !row.ratios[side].ratio && row.cells[0].mean() == 0.0 &&
           row.cells[side].mean().value_or(0) > 0;
}

bool is_loud(const std::string& warning) {
    return base::contains(warning, "DIFFERENT") || base::contains(warning, "SIGILL");
}

}  // namespace ringside::report
