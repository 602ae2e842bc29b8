// What the workloads share: their arguments, and the last lines, by which two machines prove that
// they computed the same. Of libm they use nothing but sqrt: other functions are chosen by the
// processor and differ in the last bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace ringside::workloads {

struct Work {
    long size = 0;   // what it means, each workload says
    long steps = 0;  // how often
    int threads = 0;
};

[[noreturn]] inline void refuse(const char* name, const char* size_means) {
    std::fprintf(stderr,
                 "usage: %s [-n SIZE] [-s STEPS] [-t THREADS]\n  SIZE: %s\n  THREADS: as many as "
                 "there are CPUs, if not said\n",
                 name, size_means);
    std::exit(2);
}

// `work` has the defaults. Ends the program where an argument is wrong.
inline Work parse(int argc, char** argv, Work work, const char* size_means) {
    work.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (int i = 1; i < argc; i += 2) {
        const std::string option = argv[i];
        char* end = nullptr;
        const long value = i + 1 < argc ? std::strtol(argv[i + 1], &end, 10) : 0;
        if (end == nullptr || *end != '\0' || value < 1 || value > 1L << 30) {
            refuse(argv[0], size_means);
        }
        if (option == "-n") {
            work.size = value;
        } else if (option == "-s") {
            work.steps = value;
        } else if (option == "-t" && value <= 1024) {
            work.threads = static_cast<int>(value);
        } else {
            refuse(argv[0], size_means);
        }
    }
    return work;
}

// The same numbers on every machine.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {  // splitmix64, by Steele, Lea and Flood
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // 0 <= x < 1

  private:
    std::uint64_t state_;
};

// FNV-1a over the bits of all values.
inline std::uint64_t checksum(std::span<const double> values) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const double value : values) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
    }
    return hash;
}

// The error that is allowed after `steps` steps of a method that makes it smaller by `rate` each
// time, down to what rounding leaves.
inline double shrunk(double rate, long steps) {
    double error = 1;
    for (long i = 0; i < steps && error > 1e-12; ++i) error *= rate;
    return error;
}

// Says the result; the exit code is 1 where `error` proves that it is wrong.
inline int finish(const char* what, double error, double bound, std::uint64_t checksum) {
    const bool right = error <= bound;
    std::printf("%s: error %.3e, allowed %.0e\n%schecksum %016llx\n", what, error, bound,
                right ? "" : "WRONG RESULT\n", static_cast<unsigned long long>(checksum));
    return right ? 0 : 1;
}

}  // namespace ringside::workloads
