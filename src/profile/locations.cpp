#include "profile/locations.h"

namespace ringside::profile {

Locations::Area Locations::look_up(ImageId image, std::uint64_t address,
                                   std::uint64_t time_ns) const {
    const auto found = world_->image(image).find(address, time_ns);
    Area area{found.start, found.end, 0, no_module, found.mapping};
    if (!found.mapping) return area;
    const Mapping& mapping = world_->mapping(*found.mapping);
    area.module = mapping.module;
    // The kernel and generated code are known by their addresses.
    if (world_->module(mapping.module).kind == Module::Kind::file)
        area.shift = mapping.file_offset - mapping.start;
    return area;
}

const Locations::Area& Locations::area_of(ImageId image, std::uint64_t address,
                                          std::uint64_t time_ns) {
    if (world_->mapping_count() != known_mappings_) {
        recent_.clear();
        known_mappings_ = world_->mapping_count();
    }
    if (image >= recent_.size()) recent_.resize(image + 1);
    Area& area = recent_[image];
    if (address - area.start >= area.end - area.start) area = look_up(image, address, time_ns);
    return area;
}

Locations::Query Locations::prepare(ImageId image, std::uint64_t address, perf::CpuMode mode,
                                    std::uint64_t time_ns) {
    const Area& area = area_of(image, address, time_ns);
    Query query{address, 0, address + area.shift, area.module, mode, area.mapping};
    query.hash = base::mix_bits(query.place ^ std::uint64_t{query.module} << 40 ^
                                std::uint64_t{static_cast<unsigned>(mode)} << 60);
    index_.prefetch(query.hash);
    return query;
}

LocationId Locations::find(const Query& query) {
    const Key key{query.place, query.module, query.mode};
    return index_.find_or_add(
        query.hash, [&](LocationId id) { return keys_[id] == key; },
        [&] {
            keys_.push_back(key);
            list_.push_back({query.address, query.mapping, query.mode});
            return static_cast<LocationId>(list_.size() - 1);
        });
}

}  // namespace ringside::profile
