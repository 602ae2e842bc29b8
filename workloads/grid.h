// The problem that bt and lu solve, each in its way: five unknowns in each cell of a cube, tied to
// their neighbours by diffusion and to each other by a matrix that differs from cell to cell:
//   6 u(cell) - (sum of u over the six neighbours) + K(cell) u(cell) = f(cell)
// with u = 0 outside. f is made from a known u, so that the error of a solution is known.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "parallel.h"

namespace ringside::workloads {

constexpr int unknowns = 5;
using Vector = std::array<double, unknowns>;
using Matrix = std::array<Vector, unknowns>;

inline Vector operator+(Vector a, const Vector& b) {
    for (int i = 0; i < unknowns; ++i) a[i] += b[i];
    return a;
}

inline Vector operator*(double factor, Vector a) {
    for (double& value : a) value *= factor;
    return a;
}

inline Vector operator*(const Matrix& m, const Vector& x) {
    Vector y{};
    for (int i = 0; i < unknowns; ++i) {
        for (int j = 0; j < unknowns; ++j) y[i] += m[i][j] * x[j];
    }
    return y;
}

// Replaces `b` by the solution of m x = b. m is diagonally dominant, which needs no pivots.
inline void solve_in_place(Matrix m, Vector& b) {
    for (int k = 0; k < unknowns; ++k) {
        const double pivot = 1 / m[k][k];
        for (int i = k + 1; i < unknowns; ++i) {
            const double factor = m[i][k] * pivot;
            for (int j = k + 1; j < unknowns; ++j) m[i][j] -= factor * m[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = unknowns - 1; k >= 0; --k) {
        for (int j = k + 1; j < unknowns; ++j) b[k] -= m[k][j] * b[j];
        b[k] /= m[k][k];
    }
}

class Grid {
  public:
    explicit Grid(long n) : n_(n), cells_(n * n * n) {
        Random random(n);
        right_side.resize(cells_);
        u.resize(cells_);
        exact_.resize(cells_);
        coupling_.resize(cells_);
        for (long c = 0; c < cells_; ++c) {
            for (double& value : exact_[c]) value = random.unit();
            for (auto& row : coupling_[c]) {
                for (double& value : row) value = 0.2 * random.unit();
            }
            for (int i = 0; i < unknowns; ++i) coupling_[c][i][i] += 1;
        }
        for (long k = 0; k < n; ++k) {
            for (long j = 0; j < n; ++j) {
                for (long i = 0; i < n; ++i) right_side[at(i, j, k)] = apply(exact_, i, j, k);
            }
        }
    }

    long n() const { return n_; }
    long cells() const { return cells_; }
    long at(long i, long j, long k) const { return (k * n_ + j) * n_ + i; }
    const Matrix& coupling(long cell) const { return coupling_[cell]; }

    // The sum over the neighbours of a cell.
    Vector around(const std::vector<Vector>& x, long i, long j, long k) const {
        Vector sum{};
        const long c = at(i, j, k);
        if (i > 0) sum = sum + x[c - 1];
        if (i < n_ - 1) sum = sum + x[c + 1];
        if (j > 0) sum = sum + x[c - n_];
        if (j < n_ - 1) sum = sum + x[c + n_];
        if (k > 0) sum = sum + x[c - n_ * n_];
        if (k < n_ - 1) sum = sum + x[c + n_ * n_];
        return sum;
    }

    // The left side of the equation of a cell.
    Vector apply(const std::vector<Vector>& x, long i, long j, long k) const {
        const long c = at(i, j, k);
        return 6 * x[c] + -1 * around(x, i, j, k) + coupling_[c] * x[c];
    }

    // How far u is from the solution, relative to it.
    double error() const {
        const double wrong = ordered_sum(cells_, [&](long c) {
            const Vector d = u[c] + -1 * exact_[c];
            double sum = 0;
            for (const double value : d) sum += value * value;
            return sum;
        });
        const double all = ordered_sum(cells_, [&](long c) {
            double sum = 0;
            for (const double value : exact_[c]) sum += value * value;
            return sum;
        });
        return std::sqrt(wrong / all);
    }

    std::span<const double> solution() const {
        return {u.front().data(), static_cast<std::size_t>(cells_ * unknowns)};
    }

    std::vector<Vector> u;
    std::vector<Vector> right_side;

  private:
    long n_;
    long cells_;
    std::vector<Vector> exact_;
    std::vector<Matrix> coupling_;
};

}  // namespace ringside::workloads
