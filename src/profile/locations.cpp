#include "profile/locations.h"

namespace ringside::profile {

LocationId Locations::by_image(ImageId image, std::uint64_t address, perf::CpuMode mode,
                               std::uint64_t time_ns) {
    const std::uint64_t hash =
        base::mix_bits(address ^ (std::uint64_t{image} << 48) ^ (std::uint64_t{image} >> 16));
    return images_.find_or_add(
        hash,
        [&](LocationId id) {
            const Location& place = list_[id];
            return place.address == address && place.image == image && place.mode == mode;
        },
        [&] {
            const auto found = world_->image(image).find(address, time_ns);
            list_.push_back({address, image, found.mapping, mode, found.always});
            return static_cast<LocationId>(list_.size() - 1);
        });
}

// Where one mapping took another's place, each is a location of its own.
LocationId Locations::by_mapping(const Location& place, std::uint64_t time_ns) {
    const auto found = world_->image(place.image).find(place.address, time_ns);
    const Location wanted{place.address, place.image, found.mapping, place.mode, true};
    const std::uint64_t hash =
        base::mix_bits(wanted.address ^ (std::uint64_t{*found.mapping} << 40));
    return mappings_.find_or_add(
        hash,
        [&](LocationId id) {
            return list_[id].address == wanted.address && list_[id].mapping == wanted.mapping &&
                   list_[id].image == wanted.image;
        },
        [&] {
            list_.push_back(wanted);
            return static_cast<LocationId>(list_.size() - 1);
        });
}

}  // namespace ringside::profile
