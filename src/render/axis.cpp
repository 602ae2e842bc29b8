#include "render/axis.h"

#include <cmath>

#include <fmt/format.h>

namespace ringside::render {

Axis axis_for(double most, int wanted) {
    Axis axis;
    if (!(most > 0) || !std::isfinite(most)) return axis;
    const double power = std::pow(10, std::floor(std::log10(most / wanted)));
    axis.step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        axis.step = factor * power;
        if (most / axis.step <= wanted) break;
    }
    axis.end = axis.step * std::ceil(most / axis.step * (1 - 1e-9));
    return axis;
}

std::vector<double> Axis::ticks() const {
    std::vector<double> all;
    const auto count = static_cast<int>(std::lround(end / step));
    for (int i = 0; i <= count; ++i) all.push_back(i * step);
    return all;
}

std::string Axis::label(double value) const {
    struct Prefix {
        double factor;
        const char* letter;
    };
    Prefix prefix{1, ""};
    for (const Prefix& larger : {Prefix{1e3, "k"}, Prefix{1e6, "M"}, Prefix{1e9, "G"}}) {
        if (end >= 10 * larger.factor) prefix = larger;
    }
    const double fine = step / prefix.factor;
    const int digits = fine >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(fine) - 1e-9));
    if (digits > 6) return fmt::format("{:.0e}", value);
    return fmt::format("{:.{}f}{}", value / prefix.factor, digits, value == 0 ? "" : prefix.letter);
}

}  // namespace ringside::render
