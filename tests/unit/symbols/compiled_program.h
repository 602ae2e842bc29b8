// A small program that a test compiles, because what is tested is what compilers write.
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../scratch.h"
#include "base/process.h"

namespace ringside::builders {

// nullopt when the compiler is not there or refuses the flags.
inline std::optional<std::string> compile_program(const std::string& compiler,
                                                  const std::string& name,
                                                  const std::string& source,
                                                  const std::vector<std::string>& flags) {
    const std::string base = scratch::file("ringside_" + name);
    std::ofstream(base + ".cpp") << source;
    std::vector<std::string> command{compiler, base + ".cpp", "-o", base};
    command.insert(command.end(), flags.begin(), flags.end());
    const auto done = base::run(command);
    if (!done || done->status.shell_code() != 0) return std::nullopt;
    return base;
}

// Functions that are inlined into each other, across a header's worth of namespaces and classes.
inline const std::string inlining_source = R"(
#include <cstdint>
volatile std::uint64_t sink;
namespace deep {
inline __attribute__((always_inline)) std::uint64_t innermost(std::uint64_t x) {
    for (int i = 0; i < 10; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(x));  // or all rounds become one number
    }
    return x;
}
struct Worker {
    inline __attribute__((always_inline)) std::uint64_t middle(std::uint64_t x) const {
        if (x & 1) return innermost(x) ^ 1;
        return innermost(x + 2) >> 3;
    }
    __attribute__((noinline)) std::uint64_t outer(std::uint64_t x) const {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < x; ++i) sum += middle(i);
        return sum;
    }
};
}
template <typename T> __attribute__((noinline)) T twice(T x) { return deep::innermost(x) * 2; }
__attribute__((noinline)) std::uint64_t recurse(int depth, std::uint64_t x) {
    if (depth == 0) return deep::Worker().outer(x);
    std::uint64_t below = recurse(depth - 1, x);
    asm volatile("" : "+r"(below));  // or the compiler makes a loop of it
    return below + static_cast<std::uint64_t>(depth);
}
int main(int argc, char**) {
    const int rounds = argc > 1 ? 4000 : 1;
    for (int i = 0; i < rounds; ++i) sink = recurse(5 + i % 3, 2000) + twice<std::uint64_t>(sink);
    return 0;
}
)";

}  // namespace ringside::builders
