#include "profile/address_space.h"

namespace ringside::profile {

// Splits the slice that `address` lies in, so that one begins there.
void AddressSpace::cut_at(std::uint64_t address) {
    auto after = slices_.upper_bound(address);
    if (after == slices_.begin()) return;
    auto& [start, slice] = *std::prev(after);
    if (start == address || address >= slice.end) return;
    slices_.emplace_hint(after, address, slice);
    slice.end = address;
}

void AddressSpace::map(std::uint64_t time_ns, const Mapping& mapping, MappingId id) {
    if (mapping.end <= mapping.start) return;
    cut_at(mapping.start);
    cut_at(mapping.end);
    std::uint64_t at = mapping.start;
    auto next = slices_.lower_bound(at);
    while (at < mapping.end) {
        if (next == slices_.end() || next->first > at) {
            // Nothing was here yet, up to the next slice.
            const std::uint64_t gap_end =
                next == slices_.end() ? mapping.end : std::min(next->first, mapping.end);
            slices_.emplace_hint(next, at, Slice{gap_end, {{time_ns, id}}});
            at = gap_end;
            continue;
        }
        next->second.versions.push_back({time_ns, id});
        at = next->second.end;
        ++next;
    }
}

AddressSpace::Found AddressSpace::find(std::uint64_t address, std::uint64_t time_ns) const {
    const auto after = slices_.upper_bound(address);
    const std::uint64_t gap_end = after == slices_.end() ? ~std::uint64_t{0} : after->first;
    if (after == slices_.begin()) return {std::nullopt, 0, gap_end};
    const auto& [start, slice] = *std::prev(after);
    if (address >= slice.end) return {std::nullopt, slice.end, gap_end};
    const auto& versions = slice.versions;
    if (versions.size() == 1) return {versions.front().mapping, start, slice.end};
    MappingId newest = versions.front().mapping;
    for (const auto& version : versions)
        if (version.time_ns <= time_ns) newest = version.mapping;
    return {newest};
}

}  // namespace ringside::profile
