// An SSOR solver: the cube of grid.h by sweeps down and up, cell after cell. The cells of a plane
// i + j + k = constant do not need each other, and are shared out among the threads.
#include "grid.h"

using namespace ringside::workloads;

constexpr double relaxation = 1.2;

static Matrix diagonal_block(const Grid& grid, long cell) {
    Matrix block = grid.coupling(cell);
    for (int a = 0; a < unknowns; ++a) block[a][a] += 6;
    return block;
}

[[gnu::always_inline]] static inline void relax(Grid& grid, long i, long j, long k) {
    const long c = grid.at(i, j, k);
    Vector r = grid.right_side[c] + grid.around(grid.u, i, j, k);
    solve_in_place(diagonal_block(grid, c), r);
    grid.u[c] = (1 - relaxation) * grid.u[c] + relaxation * r;
}

[[gnu::always_inline]] static inline void relax_plane(Grid& grid, long plane) {
    const long n = grid.n();
#pragma omp for schedule(static)
    for (long k = std::max(0L, plane - 2 * (n - 1)); k <= std::min(n - 1, plane); ++k) {
        const long rest = plane - k;
        for (long j = std::max(0L, rest - (n - 1)); j <= std::min(n - 1, rest); ++j) {
            relax(grid, rest - j, j, k);
        }
    }
}

// Two functions, so that a profile tells the directions apart.
[[gnu::noinline]] static void sweep_down(Grid& grid) {
#pragma omp parallel
    for (long plane = 0; plane <= 3 * (grid.n() - 1); ++plane) relax_plane(grid, plane);
}

[[gnu::noinline]] static void sweep_up(Grid& grid) {
#pragma omp parallel
    for (long plane = 3 * (grid.n() - 1); plane >= 0; --plane) relax_plane(grid, plane);
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {16, 20}, "cells along an edge of the cube");
    omp_set_num_threads(work.threads);
    Grid grid(work.size);
    for (long i = 0; i < work.steps; ++i) {
        sweep_down(grid);
        sweep_up(grid);
    }
    return finish("SSOR solver", grid.error(), shrunk(0.4, work.steps), checksum(grid.solution()));
}
