// A command over a hostile file, held to what docs/reliability.md promises for any file of 2 MB.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/process.h"

namespace ringside::hostile {

constexpr std::size_t most_bytes = std::size_t{2} << 20;

// A file that nobody would write, by the name of what it does.
struct Shape {
    const char* name;
    std::function<std::string()> bytes;
};
void PrintTo(const Shape& shape, std::ostream* out);

struct Ended {
    int exit_code = -1;
    int signal = 0;
    std::string out;
    std::string err;
};

// Within 10 s of CPU time and 1 GB of memory; beyond them the kernel ends it by a signal.
Ended run_bounded(std::vector<std::string> arguments,
                  const std::vector<std::string>& environment = {});

// Not by a signal, with a report or with a refusal that says why, and nothing in it that a terminal
// would obey. Reports failures to GoogleTest.
void expect_harmless(const Ended& ended, const std::string& what);

}  // namespace ringside::hostile
