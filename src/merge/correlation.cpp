#include "merge/correlation.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/assert.h"

namespace ringside::merge {

namespace {

using Complex = std::complex<double>;
using Spectrum = std::vector<Complex>;

// Without the standard's care for infinities, which takes most of the time.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void reverse_bits(Spectrum& values) {
    for (std::size_t i = 1, j = 0; i < values.size(); ++i) {
        std::size_t bit = values.size() >> 1;
        for (; (j & bit) != 0; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(values[i], values[j]);
    }
}

// Cooley and Tukey's transform, in place; the roots of unity of all stages come from one table.
void transform(Spectrum& values) {
    const std::size_t size = values.size();
    Spectrum roots(size / 2);
    for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i] = std::polar(
            1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size));
    reverse_bits(values);
    for (std::size_t half = 1; half < size; half *= 2) {
        const std::size_t stride = size / (2 * half);
        for (std::size_t block = 0; block < size; block += 2 * half) {
            for (std::size_t i = 0; i < half; ++i) {
                auto& low = values[block + i];
                auto& high = values[block + half + i];
                const Complex turned = times(high, roots[i * stride]);
                high = low - turned;
                low += turned;
            }
        }
    }
}

}  // namespace

Correlation::Correlation(std::size_t size) : real_(size), imaginary_(size) {}

// Both signals are real: one transform serves for the two, as real and imaginary part.
void Correlation::add(const std::vector<double>& signal, const std::vector<double>& pattern) {
    const std::size_t size = real_.size();
    RINGSIDE_ASSERT(signal.size() + pattern.size() <= size);
    Spectrum both(size);
    for (std::size_t i = 0; i < signal.size(); ++i) both[i].real(signal[i]);
    for (std::size_t i = 0; i < pattern.size(); ++i) both[i].imag(pattern[i]);
    transform(both);
    for (std::size_t i = 0; i < size; ++i) {
        const auto here = both[i];
        const auto mirrored = std::conj(both[(size - i) % size]);
        const auto signal_part = (here + mirrored) * 0.5;
        const auto pattern_part = times(here - mirrored, {0, -0.5});
        const auto product = times(signal_part, std::conj(pattern_part));
        real_[i] += product.real();
        imaginary_[i] += product.imag();
    }
}

// The inverse transform is the transform of the conjugate.
std::vector<double> Correlation::take() && {
    const std::size_t size = real_.size();
    Spectrum sums(size);
    for (std::size_t i = 0; i < size; ++i) sums[i] = {real_[i], -imaginary_[i]};
    transform(sums);
    for (std::size_t i = 0; i < size; ++i) real_[i] = sums[i].real() / static_cast<double>(size);
    return std::move(real_);
}

}  // namespace ringside::merge
