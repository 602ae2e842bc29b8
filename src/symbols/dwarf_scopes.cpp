#include "symbols/dwarf_scopes.h"

#include <algorithm>

namespace ringside::symbols {

using namespace dwarf;

namespace {

constexpr std::size_t deepest = 512;

// Types hold no code of their own.
bool is_type(std::uint64_t tag) {
    return tag == tag_class_type || tag == tag_structure_type || tag == tag_union_type ||
           tag == tag_enumeration_type;
}

}  // namespace

DwarfScopes::DwarfScopes(DwarfUnit& unit) {
    walk(unit);
    flatten();
}

// Entries lie in the order of a tree: one with children is followed by them, up to an entry of 0.
void DwarfScopes::walk(DwarfUnit& unit) {
    struct Level {
        std::uint32_t scope = DwarfScope::none;  // the function that what is here belongs to
        std::uint32_t depth = 0;                 // how many inlined ones lead to it
    };
    const DwarfShapes& shapes = unit.shapes();
    std::vector<Level> open{{}};
    DwarfCursor cursor = unit.at(unit.first_entry());
    while (cursor.ok() && cursor.remaining() > 0 && !open.empty()) {
        const std::uint64_t entry = cursor.offset();
        const std::uint64_t code = cursor.uleb();
        if (code == 0) {
            open.pop_back();
            continue;
        }
        const auto shape = shapes.find(code);
        if (shape == shapes.end() || open.size() > deepest) return;
        Level below = open.back();
        const std::uint64_t tag = shape->second.tag;
        if (tag == tag_subprogram || tag == tag_inlined_subroutine) {
            const bool inlined = tag == tag_inlined_subroutine;
            const std::uint32_t scope =
                read_scope(unit, cursor, shape->second, entry,
                           inlined ? below.scope : DwarfScope::none, inlined ? below.depth + 1 : 0);
            if (scope != DwarfScope::none || !inlined)
                below = {scope, inlined ? below.depth + 1 : 0};
        } else if (is_type(tag) && shape->second.has_children && !shape->second.fields.empty() &&
                   shape->second.fields.back().attribute == at_sibling) {
            // The last field says where the next entry is that is not below this one.
            DwarfValue sibling;
            for (const auto& field : shape->second.fields) sibling = unit.value(cursor, field);
            const auto next = unit.reference(sibling);
            if (next && *next > cursor.offset() && *next <= unit.end()) {
                cursor = unit.at(*next);
                continue;
            }
        } else {
            unit.pass(cursor, shape->second);
        }
        if (shape->second.has_children) open.push_back(below);
    }
}

std::uint32_t DwarfScopes::read_scope(const DwarfUnit& unit, DwarfCursor& cursor,
                                      const DwarfShape& shape, std::uint64_t entry,
                                      std::uint32_t outer, std::uint32_t level) {
    DwarfScope scope;
    scope.entry = entry;
    scope.outer = outer;
    DwarfUnit::Code code;
    for (const auto& field : shape.fields) {
        const DwarfValue value = unit.value(cursor, field);
        switch (field.attribute) {
            case at_low_pc:
                code.low = value;
                break;
            case at_high_pc:
                code.high = value;
                break;
            case at_ranges:
                code.list = value;
                break;
            case at_call_file:
                scope.call_file = static_cast<std::uint32_t>(value.number);
                break;
            case at_call_line:
                scope.call_line = static_cast<std::uint32_t>(value.number);
                break;
            default:
                break;
        }
    }
    // Many entries may name one long list; no real unit has more pieces of code than bytes.
    const std::size_t most = static_cast<std::size_t>(unit.end() - unit.offset());
    std::vector<AddressRange> ranges;
    if (pieces_.size() < most) unit.ranges_of(code, ranges, most - pieces_.size());
    const auto number = static_cast<std::uint32_t>(scopes_.size());
    bool has_code = false;
    for (const auto& range : ranges) {
        if (range.start == 0) continue;  // the linker dropped it
        pieces_.push_back({range.start, range.end, number, level});
        has_code = true;
    }
    if (!has_code) return DwarfScope::none;
    scopes_.push_back(scope);
    return number;
}

// Inlined functions lie inside of what they were inlined into: one sweep over all beginnings and
// ends tells who is innermost where.
void DwarfScopes::flatten() {
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
        if (a.start != b.start) return a.start < b.start;
        if (a.level != b.level) return a.level < b.level;
        return a.end > b.end;
    });
    std::vector<Piece> open;
    const auto step = [this](std::uint64_t start, std::uint32_t scope) {
        if (!steps_.empty() && steps_.back().start == start)
            steps_.back().scope = scope;
        else
            steps_.push_back({start, scope});
    };
    const auto close_until = [&](std::uint64_t address) {
        while (!open.empty() && open.back().end <= address) {
            const std::uint64_t end = open.back().end;
            open.pop_back();
            step(end, open.empty() ? DwarfScope::none : open.back().scope);
        }
    };
    for (Piece piece : pieces_) {
        close_until(piece.start);
        if (!open.empty()) piece.end = std::min(piece.end, open.back().end);
        step(piece.start, piece.scope);
        open.push_back(piece);
    }
    close_until(~std::uint64_t{0});
    pieces_ = {};
}

const DwarfScope* DwarfScopes::find(std::uint64_t address) const {
    auto after =
        std::upper_bound(steps_.begin(), steps_.end(), address,
                         [](std::uint64_t value, const Step& step) { return value < step.start; });
    if (after == steps_.begin()) return nullptr;
    --after;
    return after->scope == DwarfScope::none ? nullptr : &scopes_[after->scope];
}

}  // namespace ringside::symbols
