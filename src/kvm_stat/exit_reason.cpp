#include "kvm_stat/exit_reason.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::kvm_stat {

namespace {

constexpr std::array tables{ReasonTable::unknown, ReasonTable::svm, ReasonTable::vmx,
                            ReasonTable::arm64, ReasonTable::arm64_trap};

// Intel SDM, volume 3, "Basic VM-exit information": the reason is in the low half, above it are
// flags of which the highest says that the entry itself failed.
constexpr std::uint32_t vmx_reason_mask = 0xffff;
constexpr std::uint32_t vmx_entry_failed = std::uint32_t{1} << 31;

std::optional<ReasonTable> table_named(std::string_view name) {
    for (const auto table : tables)
        if (to_string(table) == name) return table;
    return std::nullopt;
}

std::optional<std::uint64_t> parse_code(std::string_view text) {
    return text.starts_with("0x") ? base::parse_u64(text.substr(2), 16) : base::parse_u64(text);
}

}  // namespace

std::string_view to_string(ReasonTable table) {
    switch (table) {
        case ReasonTable::svm:
            return "svm";
        case ReasonTable::vmx:
            return "vmx";
        case ReasonTable::arm64:
            return "arm64";
        case ReasonTable::arm64_trap:
            return "arm64_trap";
        case ReasonTable::unknown:
            break;
    }
    return "unknown";
}

ReasonNames::ReasonNames() {
    const auto text = base::embedded_file("kvm/exit_reasons.csv");
    RINGSIDE_ASSERT(text.has_value());
    for (const auto& row : base::parse_csv(*text)) {
        const auto table = row.size() == 4 ? table_named(row[0]) : std::nullopt;
        const auto code = table ? parse_code(row[1]) : std::nullopt;
        if (code) facts_[{*table, static_cast<std::uint32_t>(*code)}] = {row[2], row[3] == "yes"};
    }
}

const ReasonNames::Fact* ReasonNames::find(ExitReason reason) const {
    if (reason.table == ReasonTable::vmx) reason.code &= vmx_reason_mask;
    const auto found = facts_.find(reason);
    return found == facts_.end() ? nullptr : &found->second;
}

std::string ReasonNames::name(ExitReason reason) const {
    const Fact* fact = find(reason);
    std::string name = fact != nullptr ? fact->name : fmt::format("reason {:#x}", reason.code);
    const bool failed = (reason.code & vmx_entry_failed) != 0;
    if (reason.table == ReasonTable::vmx && failed) name += " (entry failed)";
    return name;
}

bool ReasonNames::is_halt(ExitReason reason) const {
    const Fact* fact = find(reason);
    return fact != nullptr && fact->halt;
}

}  // namespace ringside::kvm_stat
