// The layer of an image that belongs to one run: the command, what is put in, and our own build.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "guest/image.h"
#include "guest/retrieve.h"

namespace ringside::guest {

struct RunContent {
    std::vector<std::string> command;
    std::vector<std::string> environment;
    std::vector<std::string> beside;
    std::vector<Transfer> put;
    std::vector<Transfer> get;
    std::vector<std::string> builds;
    bool share_root = false;  // then nothing of ours is put in: it is all there
    std::string directory{};  // of the command
    std::string terminal{};   // how stty shall set it, or empty: there is none
    bool network = false;
    std::vector<std::string> promised{};  // paths without which the machine shall not go on
    bool profiled = false;  // it says what its kernel is like, and waits, before the command runs
};

struct RunLayer {
    Layer layer;
    bool has_ringside = false;
};

// Programs among `put` get their libraries too, as far as they are found.
Result<RunLayer> make_run_layer(const fs::path& cache, const Kind& kind, const RunContent& content);

}  // namespace ringside::guest
