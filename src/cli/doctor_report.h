// A doctor's report as text for people and as JSON for programs.
#pragma once

#include <string>

#include "cli/style.h"
#include "trust/report.h"

namespace ringside::cli {

std::string doctor_text(const trust::Report& report, const Style& style);

// Schema "ringside.doctor/1". What is not known is null, with the reason beside it.
std::string doctor_json(const trust::Report& report);

}  // namespace ringside::cli
