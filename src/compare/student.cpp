#include "compare/student.h"

#include <cmath>
#include <limits>

namespace ringside::compare {

namespace {

// One step of the continued fraction of the incomplete beta function, by Lentz's method: what the
// next coefficient makes of numerator and denominator.
struct Lentz {
    double c = 1;
    double d = 0;
    double value = 1;

    void step(double coefficient) {
        constexpr double tiny = 1e-300;
        d = 1 + coefficient * d;
        c = 1 + coefficient / c;
        if (std::abs(d) < tiny) d = tiny;
        if (std::abs(c) < tiny) c = tiny;
        d = 1 / d;
        value *= c * d;
    }
};

double beta_fraction(double a, double b, double x) {
    constexpr int most_steps = 10000;
    Lentz lentz;
    lentz.d = 1 / (1 - (a + b) * x / (a + 1));
    lentz.value = lentz.d;
    for (int m = 1; m < most_steps; ++m) {
        const double before = lentz.value;
        lentz.step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
        lentz.step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
        if (std::abs(lentz.value - before) < 1e-15 * std::abs(before)) break;
    }
    return lentz.value;
}

// The regularized incomplete beta function (Abramowitz and Stegun, 26.5).
double incomplete_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                  a * std::log(x) + b * std::log1p(-x));
    // The fraction converges fast on this side of the mean only.
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_two_sided(double t, double freedom) {
    if (std::isnan(t)) return std::numeric_limits<double>::quiet_NaN();
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double two_sided, double freedom) {
    double high = 1;
    while (student_two_sided(high, freedom) > two_sided && high < 1e12) high *= 2;
    double low = 0;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
        const double middle = (low + high) / 2;
        (student_two_sided(middle, freedom) > two_sided ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace ringside::compare
