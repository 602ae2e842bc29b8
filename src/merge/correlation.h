// At which shift does one signal fit another? All shifts at once, by Fourier transforms: n log n.
#pragma once

#include <cstddef>
#include <vector>

namespace ringside::merge {

// Sums up, over several pairs of signals, what correlate() gives for each.
class Correlation {
  public:
    // `size` is a power of two, and at least the length of both signals of a pair together.
    explicit Correlation(std::size_t size);

    void add(const std::vector<double>& signal, const std::vector<double>& pattern);
    // For each shift s: the sum over i of signal[i + s] * pattern[i].
    std::vector<double> take() &&;

  private:
    std::vector<double> real_;
    std::vector<double> imaginary_;
};

}  // namespace ringside::merge
