#include "symbols/debug_info.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "symbols/dwarf_lines.h"
#include "symbols/dwarf_scopes.h"
#include "symbols/elf_sections.h"

namespace ringside::symbols {

using namespace dwarf;

class DebugInfo::Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) {
        const auto elf = ElfSections::parse(bytes);
        if (!elf) return;
        sections_.order = elf->order();
        sections_.steps_left = 0;
        struct Name {
            const char* name;
            DwarfBytes DwarfSections::*member;
        };
        for (const Name& section : {Name{".debug_info", &DwarfSections::info},
                                    {".debug_abbrev", &DwarfSections::abbrev},
                                    {".debug_line", &DwarfSections::line},
                                    {".debug_str", &DwarfSections::str},
                                    {".debug_line_str", &DwarfSections::line_str},
                                    {".debug_ranges", &DwarfSections::ranges},
                                    {".debug_rnglists", &DwarfSections::rnglists},
                                    {".debug_addr", &DwarfSections::addr},
                                    {".debug_str_offsets", &DwarfSections::str_offsets}}) {
            auto& storage = unpacked_.emplace_back();
            sections_.*section.member = elf->unpacked(section.name, storage);
            sections_.steps_left += steps_per_byte * (sections_.*section.member).size();
        }
        // One without a list has a range as well.
        sections_.ranges_left =
            (sections_.ranges.size() + sections_.rnglists.size() + sections_.info.size()) / 2;
        read_units();
    }

    bool empty() const { return units_.empty(); }

    std::vector<SourceFrame> find(std::uint64_t address) {
        std::vector<SourceFrame> frames;
        Unit* unit = unit_at(address);
        if (unit == nullptr) return frames;
        SourceFrame frame = line_in(*unit, address);
        const DwarfScopes& scopes = scopes_of(*unit);
        const DwarfScope* scope = scopes.find(address);
        for (; scope != nullptr; scope = scopes.outer(*scope)) {
            frame.function = name(scope->entry);
            frames.push_back(std::move(frame));
            frame = {{}, lines_of(*unit).file(scope->call_file), scope->call_line};
        }
        if (frames.empty() && frame.line != 0) frames.push_back(std::move(frame));
        return frames;
    }

    SourceFrame line(std::uint64_t address) {
        Unit* unit = unit_at(address);
        return unit == nullptr ? SourceFrame{} : line_in(*unit, address);
    }

  private:
    // What is read is smaller than a step; the rest is for what honest files read again.
    static constexpr std::uint64_t steps_per_byte = 16;

    struct Unit {
        explicit Unit(DwarfUnit read) : dwarf(std::move(read)) {}

        DwarfUnit dwarf;
        std::unique_ptr<DwarfLines> lines;
        std::unique_ptr<DwarfScopes> scopes;
    };
    struct UnitRange {
        AddressRange range;
        std::uint32_t unit = 0;
    };

    void read_units() {
        std::uint64_t offset = 0;
        while (auto unit = DwarfUnit::parse(sections_, offset)) {
            offset = unit->end();
            unit->read_root();
            for (const auto& range : unit->ranges())
                if (range.start != 0)
                    ranges_.push_back({range, static_cast<std::uint32_t>(units_.size())});
            units_.push_back(std::make_unique<Unit>(std::move(*unit)));
        }
        std::sort(ranges_.begin(), ranges_.end(), [](const UnitRange& a, const UnitRange& b) {
            return a.range.start < b.range.start;
        });
    }

    Unit* unit_at(std::uint64_t address) {
        auto after = std::upper_bound(
            ranges_.begin(), ranges_.end(), address,
            [](std::uint64_t value, const UnitRange& entry) { return value < entry.range.start; });
        if (after == ranges_.begin()) return nullptr;
        --after;
        return address < after->range.end ? units_[after->unit].get() : nullptr;
    }

    const DwarfLines& lines_of(Unit& unit) {
        if (!unit.lines) unit.lines = std::make_unique<DwarfLines>(sections_, unit.dwarf);
        return *unit.lines;
    }
    const DwarfScopes& scopes_of(Unit& unit) {
        if (!unit.scopes) unit.scopes = std::make_unique<DwarfScopes>(unit.dwarf);
        return *unit.scopes;
    }

    SourceFrame line_in(Unit& unit, std::uint64_t address) {
        const DwarfLines& lines = lines_of(unit);
        const LineRow* row = lines.find(address);
        if (row == nullptr) return {};
        return {{}, lines.file(row->file), row->line};
    }

    // An inlined function's entry leads to its abstract one, a definition to its declaration.
    std::string_view name(std::uint64_t entry) {
        const auto known = names_.find(entry);
        if (known != names_.end()) return known->second;
        constexpr int longest_way = 8;
        std::string_view found;
        std::optional<std::uint64_t> at = entry;
        for (int i = 0; i < longest_way && at && found.empty(); ++i) at = read_name(*at, found);
        names_.emplace(entry, found);
        return found;
    }

    // Fills `name` if the entry has one, and says where to look on.
    std::optional<std::uint64_t> read_name(std::uint64_t entry, std::string_view& name) {
        const auto after = std::upper_bound(
            units_.begin(), units_.end(), entry,
            [](std::uint64_t value, const auto& unit) { return value < unit->dwarf.offset(); });
        if (after == units_.begin()) return std::nullopt;
        DwarfUnit& unit = (*std::prev(after))->dwarf;
        DwarfCursor cursor = unit.at(entry);
        const auto shape = unit.shapes().find(cursor.uleb());
        if (shape == unit.shapes().end()) return std::nullopt;
        std::optional<std::uint64_t> next;
        std::string_view plain;
        for (const auto& field : shape->second.fields) {
            const DwarfValue value = unit.value(cursor, field);
            if (!cursor.ok()) break;
            if (field.attribute == at_linkage_name || field.attribute == at_mips_linkage_name)
                name = unit.text(value);
            if (field.attribute == at_name) plain = unit.text(value);
            if (field.attribute == at_abstract_origin || field.attribute == at_specification)
                next = unit.reference(value);
        }
        // A definition has the plain name too, its declaration the linker's.
        if (name.empty() && !next) name = plain;
        return next;
    }

    DwarfSections sections_;
    std::vector<std::vector<std::byte>> unpacked_;
    std::vector<std::unique_ptr<Unit>> units_;  // by offset
    std::vector<UnitRange> ranges_;             // by address
    std::unordered_map<std::uint64_t, std::string_view> names_;
};

DebugInfo::DebugInfo(std::span<const std::byte> bytes) : reader_(std::make_unique<Reader>(bytes)) {}
DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;
DebugInfo::~DebugInfo() = default;

bool DebugInfo::empty() const {
    return reader_->empty();
}

std::vector<SourceFrame> DebugInfo::find(std::uint64_t address) {
    return reader_->find(address);
}

SourceFrame DebugInfo::line(std::uint64_t address) {
    return reader_->line(address);
}

}  // namespace ringside::symbols
