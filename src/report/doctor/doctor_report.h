// What `ringside doctor` found, as human-readable text and as JSON.
#pragma once

#include <string>

#include "report/style.h"
#include "trust/report.h"

namespace ringside::report {

std::string doctor_text(const trust::Report& report, const Style& style);

// Schema "ringside.doctor/1". What is not known is null, with the reason beside it.
std::string doctor_json(const trust::Report& report);

}  // namespace ringside::report
