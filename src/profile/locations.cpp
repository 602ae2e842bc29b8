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

void Locations::fold(ModuleBook& book, bool unnamed) {
    book_ = &book;
    folds_unnamed_ = unnamed;
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

// To where the place's function begins, if it has none that differ from place to place in it.
void Locations::fold(Query& query) {
    constexpr std::uint64_t anywhere = ~std::uint64_t{0};
    const symbols::Symbol* symbol = nullptr;
    if (query.mapping) {
        const Mapping& mapping = world_->mapping(*query.mapping);
        const ModuleSymbols& module = book_->of(query.module);
        if (module.debug) return;
        const std::uint64_t address = module.address(query.address, mapping);
        symbol = module.table().find(address);
        if (symbol != nullptr) {
            const std::uint64_t back = address - symbol->start;
            if (module.address(query.address - back, mapping) != symbol->start) return;
            query.address -= back;
            query.place -= back;
        }
    } else if (query.mode == perf::CpuMode::kernel) {
        return;
    }
    if (symbol != nullptr || !folds_unnamed_) return;
    query.unnamed = true;
    query.place = anywhere;
}

Locations::Query Locations::prepare(ImageId image, std::uint64_t address, perf::CpuMode mode,
                                    std::uint64_t time_ns) {
    const Area& area = area_of(image, address, time_ns);
    Query query{address, 0, address + area.shift, area.module, mode, false, area.mapping};
    if (book_ != nullptr) fold(query);
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
            list_.push_back({query.address, query.mapping, query.mode, query.unnamed});
            return static_cast<LocationId>(list_.size() - 1);
        });
}

}  // namespace ringside::profile
