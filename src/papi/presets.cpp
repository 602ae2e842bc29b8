#include "papi/presets.h"

#include <array>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"
#include "papi/abi.h"

namespace ringside::papi {

namespace {

unsigned bits_of(std::string_view words) {
    constexpr std::array<std::pair<std::string_view, unsigned>, 12> names = {{
        {"msc", PAPI_PRESET_BIT_MSC},
        {"ins", PAPI_PRESET_BIT_INS},
        {"idl", PAPI_PRESET_BIT_IDL},
        {"br", PAPI_PRESET_BIT_BR},
        {"cnd", PAPI_PRESET_BIT_CND},
        {"mem", PAPI_PRESET_BIT_MEM},
        {"cach", PAPI_PRESET_BIT_CACH},
        {"l1", PAPI_PRESET_BIT_L1},
        {"l2", PAPI_PRESET_BIT_L2},
        {"l3", PAPI_PRESET_BIT_L3},
        {"tlb", PAPI_PRESET_BIT_TLB},
        {"fp", PAPI_PRESET_BIT_FP},
    }};
    unsigned bits = 0;
    for (const auto word : base::split_words(words)) {
        for (const auto& [name, bit] : names) {
            if (word == name) bits |= bit;
        }
    }
    return bits;
}

std::vector<Preset> read_table() {
    const auto text = base::embedded_file("papi/presets.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<Preset> table;
    for (const auto& row : base::parse_csv(*text)) {
        if (row.size() != 4 || row[0] == "name") continue;
        if (table.size() == PAPI_END_idx) break;  // an older ABI has fewer
        table.push_back(Preset{row[0], row[1], row[2], bits_of(row[3])});
    }
    RINGSIDE_ASSERT(table.size() == PAPI_END_idx);
    return table;
}

}  // namespace

std::span<const Preset> presets() {
    static const std::vector<Preset> table = read_table();
    return table;
}

const Preset* find_preset(int code) {
    if (!IS_PRESET(code)) return nullptr;
    const auto index = static_cast<std::size_t>(code & PAPI_PRESET_AND_MASK);
    return index < presets().size() ? &presets()[index] : nullptr;
}

std::optional<int> preset_code(std::string_view name) {
    const std::string wanted = base::to_lower(name);
    for (std::size_t i = 0; i < presets().size(); ++i) {
        if (base::to_lower(presets()[i].name) == wanted) {
            return static_cast<int>(i) | PAPI_PRESET_MASK;
        }
    }
    return std::nullopt;
}

}  // namespace ringside::papi
