// Conjugate gradients on a sparse matrix whose pattern is random: most of the time goes into
// fetching elements of a vector from anywhere.
#include <cmath>

#include "parallel.h"

using namespace ringside::workloads;

using Values = std::vector<double>;

// Symmetric and diagonally dominant: positive definite.
class SparseMatrix {
  public:
    explicit SparseMatrix(long n) : rows_(n) {
        constexpr int in_each_row = 6;
        Random random(n);
        std::vector<double> diagonal(n, 0.1);
        for (long i = 0; i < n; ++i) {
            for (int e = 0; e < in_each_row; ++e) {
                const long j = static_cast<long>(random.next() % n);
                const double value = random.unit() - 0.5;
                rows_[i].push_back({j, value});
                rows_[j].push_back({i, value});
                diagonal[i] += std::abs(value);
                diagonal[j] += std::abs(value);
            }
        }
        for (long i = 0; i < n; ++i) rows_[i].push_back({i, diagonal[i]});
    }

    long size() const { return static_cast<long>(rows_.size()); }
    double row_times(long i, const Values& x) const {
        double sum = 0;
        for (const auto& [column, value] : rows_[i]) sum += value * x[column];
        return sum;
    }

  private:
    struct Entry {
        long column;
        double value;
    };
    std::vector<std::vector<Entry>> rows_;
};

[[gnu::noinline]] static void multiply(const SparseMatrix& a, const Values& x, Values& y) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < a.size(); ++i) y[i] = a.row_times(i, x);
}

[[gnu::noinline]] static double dot(const Values& x, const Values& y) {
    return ordered_sum(static_cast<long>(x.size()), [&](long i) { return x[i] * y[i]; });
}

// y = x * factor + y
[[gnu::noinline]] static void add_scaled(Values& y, double factor, const Values& x) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < static_cast<long>(y.size()); ++i) y[i] += factor * x[i];
}

static Values solve(const SparseMatrix& a, const Values& b, long steps) {
    Values x(b.size()), r = b, p = b, q(b.size());
    double norm = dot(r, r);
    for (long i = 0; i < steps && norm > 0; ++i) {
        multiply(a, p, q);
        const double alpha = norm / dot(p, q);
        add_scaled(x, alpha, p);
        add_scaled(r, -alpha, q);
        const double next = dot(r, r);
        for (double& value : p) value *= next / norm;
        add_scaled(p, 1, r);
        norm = next;
    }
    return x;
}

int main(int argc, char** argv) {
    const Work work = parse(argc, argv, {20000, 60}, "rows of the matrix");
    omp_set_num_threads(work.threads);
    const SparseMatrix a(work.size);
    const Values b(a.size(), 1.0);
    const Values x = solve(a, b, work.steps);
    Values left(b.size());
    multiply(a, x, left);
    add_scaled(left, -1, b);
    const double error = std::sqrt(dot(left, left) / dot(b, b));
    return finish("conjugate gradients", error, shrunk(0.7, work.steps), checksum(x));
}
