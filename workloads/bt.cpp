// A block tridiagonal solver: the cube of grid.h by alternating directions. Each step solves along
// all lines in x, then in y, then in z; each line is a system of 5 x 5 blocks.
#include "grid.h"

using namespace ringside::workloads;

constexpr double step = 0.4;  // by trial: of 0.3 to 0.8 among the quickest

[[gnu::noinline]] static void right_side(const Grid& grid, std::vector<Vector>& r) {
    const long n = grid.n();
#pragma omp parallel for schedule(static)
    for (long k = 0; k < n; ++k) {
        for (long j = 0; j < n; ++j) {
            for (long i = 0; i < n; ++i) {
                const long c = grid.at(i, j, k);
                r[c] = step * (grid.right_side[c] + -1 * grid.apply(grid.u, i, j, k));
            }
        }
    }
}

// Solves a block on the diagonal for a column of the matrix right of it, and for the right side.
[[gnu::noinline]] static void solve_block(const Matrix& block, double beside, Matrix& right,
                                          Vector& r) {
    for (int column = 0; column < unknowns; ++column) {
        Vector x{};
        x[column] = beside;
        solve_in_place(block, x);
        for (int i = 0; i < unknowns; ++i) right[i][column] = x[i];
    }
    solve_in_place(block, r);
}

// (1 + step (-1, 2 + K/3, -1)) x = r along a line of cells, by block elimination.
[[gnu::always_inline]] static inline void solve_line(const Grid& grid, std::vector<Vector>& r,
                                                     std::vector<Matrix>& right, long first,
                                                     long stride) {
    const long n = grid.n();
    for (long i = 0; i < n; ++i) {
        const long c = first + i * stride;
        Matrix block = grid.coupling(c);
        for (int a = 0; a < unknowns; ++a) {
            for (double& value : block[a]) value *= step / 3;
            block[a][a] += 1 + 2 * step;
        }
        if (i > 0) {
            for (int a = 0; a < unknowns; ++a) {
                for (int b = 0; b < unknowns; ++b) block[a][b] += step * right[i - 1][a][b];
            }
            r[c] = r[c] + step * r[c - stride];
        }
        solve_block(block, -step, right[i], r[c]);
    }
    for (long i = n - 2; i >= 0; --i) {
        const long c = first + i * stride;
        r[c] = r[c] + -1 * (right[i] * r[c + stride]);
    }
}

// All lines along x, y or z: 0, 1 or 2. A function each, so that a profile tells them apart.
template <int axis>
static void solve_lines(const Grid& grid, std::vector<Vector>& r) {
    const long n = grid.n();
    const long strides[] = {1, n, n * n};
    const long outer = strides[(axis + 1) % 3], inner = strides[(axis + 2) % 3];
#pragma omp parallel
    {
        std::vector<Matrix> right(n);
#pragma omp for schedule(static)
        for (long a = 0; a < n; ++a) {
            for (long b = 0; b < n; ++b) {
                solve_line(grid, r, right, a * outer + b * inner, strides[axis]);
            }
        }
    }
}

[[gnu::noinline]] static void add(Grid& grid, const std::vector<Vector>& r) {
#pragma omp parallel for schedule(static)
    for (long c = 0; c < grid.cells(); ++c) grid.u[c] = grid.u[c] + r[c];
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {12, 30}, "cells along an edge of the cube");
    omp_set_num_threads(work.threads);
    Grid grid(work.size);
    std::vector<Vector> r(grid.cells());
    for (long i = 0; i < work.steps; ++i) {
        right_side(grid, r);
        solve_lines<0>(grid, r);
        solve_lines<1>(grid, r);
        solve_lines<2>(grid, r);
        add(grid, r);
    }
    return finish("block tridiagonal solver", grid.error(), shrunk(0.75, work.steps),
                  checksum(grid.solution()));
}
