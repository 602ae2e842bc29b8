// JSON that somebody else wrote.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <ringside/result.h>

namespace ringside::run {

// An object; errors call it `name`. What is nested deeper than anything of ours is refused: who
// walks through it later must not be led as deep as a file can be.
Result<nlohmann::ordered_json> parse_json_object(std::string_view text, const std::string& name);

}  // namespace ringside::run
