// The distinct places that samples and call chains point to. There are far fewer of them than
// frames, so everything that is slow (symbols, lines, inlined functions) is asked once for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/index_table.h"
#include "perf/sample.h"
#include "profile/world.h"

namespace ringside::profile {

using LocationId = std::uint32_t;

struct Location {
    std::uint64_t address = 0;
    ImageId image = 0;
    std::optional<MappingId> mapping;
    perf::CpuMode mode = perf::CpuMode::unknown;
    bool always = true;  // what is mapped here does not depend on the time
};

class Locations {
  public:
    explicit Locations(const World& world) : world_(&world) {}

    LocationId find(ImageId image, std::uint64_t address, perf::CpuMode mode,
                    std::uint64_t time_ns) {
        const LocationId id = by_image(image, address, mode, time_ns);
        return list_[id].always ? id : by_mapping(list_[id], time_ns);
    }

    const Location& operator[](LocationId id) const { return list_[id]; }
    std::size_t size() const { return list_.size(); }

  private:
    LocationId by_image(ImageId image, std::uint64_t address, perf::CpuMode mode,
                        std::uint64_t time_ns);
    LocationId by_mapping(const Location& place, std::uint64_t time_ns);

    const World* world_;
    std::vector<Location> list_;
    base::IndexTable images_;
    base::IndexTable mappings_;
};

}  // namespace ringside::profile
