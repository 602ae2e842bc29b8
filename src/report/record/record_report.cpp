#include "report/record/record_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/amounts.h"

namespace ringside::report {

namespace {

using base::Json;

std::string size_text(std::uint64_t bytes) {
    const auto size = static_cast<double>(bytes);
    if (bytes < 1'000'000) return fmt::format("{:.1f} kB", size / 1e3);
    return fmt::format("{:.1f} MB", size / 1e6);
}

std::string lost_text(const record::Tally& tally) {
    std::string text =
        tally.lost == 0 ? std::string("none lost") : fmt::format("{} LOST", tally.lost);
    if (tally.throttled > 0)
        text += fmt::format(", throttled by the kernel {} times", tally.throttled);
    return text;
}

}  // namespace

std::string progress_text(const record::Progress& now) {
    return fmt::format("recording: {:.0f} s, {} samples, {}, {}{}", seconds(now.elapsed_ns),
                       now.tally.samples, size_text(now.tally.file_bytes), lost_text(now.tally),
                       now.failure ? " (stopped: cannot write)" : "");
}

std::string record_text(const record::Summary& summary, const std::string& file) {
    std::string names;
    for (const auto& event : summary.events) names += (names.empty() ? "" : ", ") + event.name;
    const auto& progress = summary.progress;
    std::string text =
        fmt::format("{} samples of {} in {:.2f} s, {}, {} in {}", progress.tally.samples, names,
                    seconds(progress.elapsed_ns), lost_text(progress.tally),
                    size_text(progress.tally.file_bytes), file);
    if (summary.stolen_ns && *summary.stolen_ns > 0)
        text += fmt::format("; {:.2f} s of the CPUs were stolen", seconds(*summary.stolen_ns));
    text += "\n";
    for (const auto& wait : summary.waits)
        text += fmt::format("{:12.3f} s {}\n", seconds(wait.total_ns), wait.name);
    return text;
}

std::string record_json(const record::Summary& summary, const std::string& file,
                        const std::vector<std::string>& notes, std::optional<int> exit_code) {
    const auto& progress = summary.progress;
    Json json;
    json["schema"] = "ringside.record/1";
    json["file"] = file;
    json["bytes"] = progress.tally.file_bytes;
    json["duration_ns"] = progress.elapsed_ns;
    json["samples"] = progress.tally.samples;
    json["lost"] = progress.tally.lost;
    json["throttled"] = progress.tally.throttled;
    json["stolen_ns"] = summary.stolen_ns;
    json["events"] = Json::array();
    for (const auto& event : summary.events)
        json["events"].push_back({{"name", event.name}, {"lost", event.lost}});
    json["waits"] = Json::array();
    for (const auto& wait : summary.waits)
        json["waits"].push_back({{"name", wait.name}, {"total_ns", wait.total_ns}});
    json["notes"] = notes;
    json["error"] = progress.failure ? Json(progress.failure->what) : Json();
    json["exit_code"] = exit_code;
    return json.text();
}

}  // namespace ringside::report
