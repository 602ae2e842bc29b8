#include "cli/side_file.h"

#include <functional>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file_io.h"
#include "base/json_text.h"
#include "guest/files.h"
#include "run/json.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<void> change(const std::string& folder, const std::function<void(Json&)>& how) {
    const std::string file = folder + "/side.json";
    const auto text = guest::read_file(file);
    if (!text) return text.error();
    auto json = run::parse_json_object(*text, file);
    if (!json) return json.error();
    how(*json);
    return base::replace_file(file, base::json_text(*json));
}

Result<void> set(const std::string& folder, const char* key, const Json& value) {
    return change(folder, [&](Json& json) { json[key] = value; });
}

}  // namespace

Result<void> set_side_kind(const std::string& folder, const std::string& kind) {
    return set(folder, "kind", kind);
}

Result<void> set_side_co_run(const std::string& folder, const std::string& words) {
    return set(folder, "co_run", words);
}

Result<void> add_side_note(const std::string& folder, const std::string& note) {
    return change(folder, [&](Json& json) { json["notes"].push_back(note); });
}

Result<void> set_side_runs(const std::string& folder, int runs) {
    return set(folder, "runs", runs);
}

}  // namespace ringside::cli
