// PAPI's presets: names and codes that every build of the library shares. The table is
// data/papi/presets.csv.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside::papi {

struct Preset {
    std::string name;
    std::string label;
    std::string description;
    unsigned about = 0;  // PAPI_PRESET_BIT_*
};

// In the order of their codes, as many as this ABI has. Static storage.
std::span<const Preset> presets();

// The preset that `code` stands for; nullptr if it stands for none.
const Preset* find_preset(int code);
// Case does not matter, as in PAPI.
std::optional<int> preset_code(std::string_view name);

}  // namespace ringside::papi
