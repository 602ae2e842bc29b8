// Waves of an earthquake: linear elasticity on an irregular mesh of tetrahedra, finite elements, a
// step in time after the other. Nearly all of it is the product of a sparse matrix of 3 x 3 blocks
// and a vector. Once the source is quiet, the scheme keeps a discrete energy exactly
// (Hairer, Lubich, Wanner: Geometric Numerical Integration, I.3): that is what proves it right.
#include <array>
#include <cmath>
#include <map>

#include "parallel.h"

using namespace ringside::workloads;

using Vector = std::array<double, 3>;
using Block = std::array<Vector, 3>;
using Field = std::vector<Vector>;

static double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static Vector minus(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

static Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A cube of n^3 nodes, each moved a little, each cell cut into six tetrahedra around its diagonal.
// The nodes have numbers in random order, as in a mesh that a program made.
struct Mesh {
    Field nodes;
    std::vector<std::array<long, 4>> tetrahedra;
};

static Mesh make_mesh(long n) {
    Random random(n);
    std::vector<long> number(n * n * n);
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<long>(i);
    for (std::size_t i = number.size() - 1; i > 0; --i) {
        std::swap(number[i], number[random.next() % (i + 1)]);
    }
    const auto node = [&](long i, long j, long k) { return number[(k * n + j) * n + i]; };
    Mesh mesh;
    mesh.nodes.resize(number.size());
    constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (long k = 0; k < n; ++k) {
        for (long j = 0; j < n; ++j) {
            for (long i = 0; i < n; ++i) {
                const std::array<long, 3> place{i, j, k};
                for (int d = 0; d < 3; ++d) {
                    mesh.nodes[node(i, j, k)][d] =
                        static_cast<double>(place[d]) + 0.2 * (random.unit() - 0.5);
                }
                if (std::max({i, j, k}) == n - 1) continue;
                for (const auto& order : orders) {  // along the edges from corner to corner
                    std::array<long, 3> corner = place;
                    std::array<long, 4> tetrahedron{node(i, j, k)};
                    for (int step = 0; step < 3; ++step) {
                        ++corner[order[step]];
                        tetrahedron[step + 1] = node(corner[0], corner[1], corner[2]);
                    }
                    mesh.tetrahedra.push_back(tetrahedron);
                }
            }
        }
    }
    return mesh;
}

// Rows of blocks, one behind the other.
struct Stiffness {
    std::vector<long> first;  // of each row
    std::vector<long> column;
    std::vector<Block> block;
    std::vector<double> mass;  // of each node
};

// How the form functions of a tetrahedron's corners rise, and its volume.
struct Gradients {
    std::array<Vector, 4> of;
    double volume;
};

static Gradients gradients(const Mesh& mesh, const std::array<long, 4>& t) {
    const auto edge = [&](int to) { return minus(mesh.nodes[t[to]], mesh.nodes[t[0]]); };
    const Vector a = edge(1), b = edge(2), c = edge(3);
    const double six_volumes = dot(a, cross(b, c));
    Gradients g{{Vector{}, cross(b, c), cross(c, a), cross(a, b)}, std::abs(six_volumes) / 6};
    for (int corner = 1; corner < 4; ++corner) {
        for (int d = 0; d < 3; ++d) {
            g.of[corner][d] /= six_volumes;
            g.of[0][d] -= g.of[corner][d];
        }
    }
    return g;
}

static Stiffness assemble(const Mesh& mesh) {
    constexpr double lame_lambda = 1, lame_mu = 1, density = 1;
    std::vector<std::map<long, Block>> rows(mesh.nodes.size());
    Stiffness k;
    k.mass.resize(mesh.nodes.size());
    for (const auto& t : mesh.tetrahedra) {
        const Gradients g = gradients(mesh, t);
        for (int a = 0; a < 4; ++a) {
            k.mass[t[a]] += density * g.volume / 4;
            for (int b = 0; b < 4; ++b) {
                Block& block = rows[t[a]][t[b]];
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) {
                        block[i][j] += g.volume * (lame_lambda * g.of[a][i] * g.of[b][j] +
                                                   lame_mu * g.of[a][j] * g.of[b][i]);
                    }
                    block[i][i] += g.volume * lame_mu * dot(g.of[a], g.of[b]);
                }
            }
        }
    }
    for (const auto& row : rows) {
        k.first.push_back(static_cast<long>(k.column.size()));
        for (const auto& [column, block] : row) {
            k.column.push_back(column);
            k.block.push_back(block);
        }
    }
    k.first.push_back(static_cast<long>(k.column.size()));
    return k;
}

[[gnu::noinline]] static void sparse_times_vector(const Stiffness& k, const Field& u, Field& f) {
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < u.size(); ++row) {
        Vector sum{};
        for (long e = k.first[row]; e < k.first[row + 1]; ++e) {
            for (int i = 0; i < 3; ++i) sum[i] += dot(k.block[e][i], u[k.column[e]]);
        }
        f[row] = sum;
    }
}

// The positions of the last step become those of the next one.
[[gnu::noinline]] static void next_positions(const Stiffness& k, const Field& f, const Field& now,
                                             Field& last, double step) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < now.size(); ++i) {
        for (int d = 0; d < 3; ++d) {
            last[i][d] = 2 * now[i][d] - last[i][d] - step * step * f[i][d] / k.mass[i];
        }
    }
}

// Kept exactly by the scheme: half of v M v, and half of now K next.
[[gnu::noinline]] static double energy(const Stiffness& k, const Field& now, const Field& next,
                                       double step) {
    Field f(now.size());
    sparse_times_vector(k, now, f);
    return ordered_sum(static_cast<long>(now.size()), [&](long i) {
        const Vector moved = minus(next[i], now[i]);
        return 0.5 * k.mass[i] * dot(moved, moved) / (step * step) + 0.5 * dot(f[i], next[i]);
    });
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {12, 60}, "nodes along an edge of the cube, 2 or more");
    omp_set_num_threads(work.threads);
    constexpr double step = 0.05;  // far below the time that a wave needs through a tetrahedron
    const Mesh mesh = make_mesh(std::max(work.size, 2L));
    const Stiffness k = assemble(mesh);
    Field now(mesh.nodes.size()), last(mesh.nodes.size()), f(mesh.nodes.size());
    now[now.size() / 2] = {1, 0.5, 0.25};  // the shock: one node is somewhere else
    const double before = energy(k, last, now, step);
    for (long i = 0; i < work.steps; ++i) {
        sparse_times_vector(k, now, f);
        next_positions(k, f, now, last, step);
        std::swap(now, last);
    }
    const double after = energy(k, last, now, step);
    return finish("earthquake", std::abs(after / before - 1), 1e-10,
                  checksum({now.front().data(), now.size() * 3}));
}
