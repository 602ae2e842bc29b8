// The instructions of one function with the samples that hit each, and the source lines they come
// from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::profile {

struct Annotation {
    struct Line {
        std::uint64_t address = 0;
        std::string instruction;
        std::string file;  // empty if it is not known
        std::uint32_t source_line = 0;
        std::uint64_t samples = 0;
        std::uint64_t period = 0;
    };
    std::string symbol;
    std::string module;
    std::string binary;  // the file that was disassembled
    std::uint64_t samples = 0;
    std::uint64_t period = 0;
    std::vector<Line> lines;
};

struct AnnotationRequest {
    std::string symbol;
    std::string module;  // empty: the one with most samples in that symbol
    std::size_t event = 0;
};

// Disassembles with binutils' objdump. Fails if no sample is in the symbol, or its program cannot
// be read.
Result<Annotation> annotate(const Profile& profile, const Naming& naming,
                            const symbols::Finder& finder, const AnnotationRequest& request);

// The instructions in what objdump wrote.
std::vector<Annotation::Line> parse_disassembly(std::string_view text);

}  // namespace ringside::profile
