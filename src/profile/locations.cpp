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
    forget();
}

// What is remembered holds for the mappings that there were.
void Locations::forget() {
    constexpr std::size_t most_memories = 1 << 14;  // a power of two, that a cache has room for
    recent_.clear();
    memories_.assign(book_ != nullptr ? most_memories : 0, Memory{});
    known_mappings_ = world_->mapping_count();
}

const Locations::Area& Locations::area_of(ImageId image, std::uint64_t address,
                                          std::uint64_t time_ns) {
    if (image >= recent_.size()) recent_.resize(image + 1);
    Area& area = recent_[image];
    if (address - area.start >= area.end - area.start) area = look_up(image, address, time_ns);
    return area;
}

Locations::Memory& Locations::memory_of(const Asked& asked) {
    const std::uint64_t hash =
        base::mix_bits(asked.address ^ std::uint64_t{asked.image} << 48 ^
                       std::uint64_t{static_cast<unsigned>(asked.mode)} << 60);
    return memories_[hash & (memories_.size() - 1)];
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
    if (world_->mapping_count() != known_mappings_) forget();
    Query query;
    if (book_ != nullptr) {
        query.asked = {address, image, mode};
        query.memory = &memory_of(query.asked);
        if (query.memory->answer != nowhere && query.memory->asked == query.asked) {
            query.known = query.memory->answer;
            return query;
        }
    }
    const Area& area = area_of(image, address, time_ns);
    query.address = address;
    query.place = address + area.shift;
    query.module = area.module;
    query.mode = mode;
    query.mapping = area.mapping;
    // What lies there may change with time.
    if (area.start == area.end) query.memory = nullptr;
    if (book_ != nullptr) fold(query);
    query.hash = base::mix_bits(query.place ^ std::uint64_t{query.module} << 40 ^
                                std::uint64_t{static_cast<unsigned>(mode)} << 60);
    index_.prefetch(query.hash);
    return query;
}

LocationId Locations::find(const Query& query) {
    if (query.known != nowhere) return query.known;
    const Key key{query.place, query.module, query.mode};
    const LocationId found = index_.find_or_add(
        query.hash, [&](LocationId id) { return keys_[id] == key; },
        [&] {
            keys_.push_back(key);
            list_.push_back({query.address, query.mapping, query.mode, query.unnamed});
            return static_cast<LocationId>(list_.size() - 1);
        });
    if (query.memory != nullptr) *query.memory = {query.asked, found};
    return found;
}

}  // namespace ringside::profile
