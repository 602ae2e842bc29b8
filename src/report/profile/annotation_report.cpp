#include "report/profile/annotation_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/visible.h"
#include "report/amounts.h"

namespace ringside::report {

using base::Json;
using profile::Annotation;

std::string annotation_text(const Annotation& annotation, const SourceLine& source_line) {
    std::string text = fmt::format("# {} in {}: {} samples\n", base::visible(annotation.symbol),
                                   base::visible(annotation.module), annotation.samples);
    std::string last;
    for (const auto& line : annotation.lines) {
        const std::string place =
            line.source_line == 0 ? ""
                                  : fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1),
                                                line.source_line);
        if (place != last && !place.empty())
            text +=
                fmt::format("          {}  {}\n", place, source_line(line.file, line.source_line));
        last = place;
        const std::string share =
            line.period == 0 ? "" : fmt::format("{:.2f}%", percent(line.period, annotation.period));
        text += fmt::format("{:>8}  {:>10x}:  {}\n", share, line.address, line.instruction);
    }
    return text;
}

std::string annotation_json(const Annotation& annotation) {
    Json json;
    json["schema"] = "ringside.annotate/1";
    json["symbol"] = annotation.symbol;
    json["dso"] = annotation.module;
    json["samples"] = annotation.samples;
    json["instructions"] = Json::array();
    for (const auto& line : annotation.lines) {
        Json entry;
        entry["address"] = line.address;
        entry["instruction"] = line.instruction;
        entry["file"] = Json::text_or_null(line.file);
        entry["line"] = line.source_line == 0 ? Json() : Json(line.source_line);
        entry["samples"] = line.samples;
        entry["pct"] = percent(line.period, annotation.period);
        json["instructions"].push_back(std::move(entry));
    }
    return json.text();
}

}  // namespace ringside::report
