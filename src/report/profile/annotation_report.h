// The hot instructions of a function, beside their source.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profile/annotate.h"

namespace ringside::report {

// A line of a source file by its number; empty where there is none.
using SourceLine = std::function<std::string(const std::string& file, std::uint32_t number)>;

std::string annotation_text(const profile::Annotation& annotation, const SourceLine& source_line);
// Schema "ringside.annotate/1".
std::string annotation_json(const profile::Annotation& annotation);

}  // namespace ringside::report
