// The distinct places that samples and call chains point to. There are far fewer of them than
// frames, so everything that is slow (symbols, lines, inlined functions) is asked once for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/index_table.h"
#include "perf/sample.h"
#include "profile/module_symbols.h"
#include "profile/world.h"

namespace ringside::profile {

using LocationId = std::uint32_t;

// A place in a file is one location, wherever processes have mapped the file.
struct Location {
    std::uint64_t address = 0;  // in the process that was seen there first
    std::optional<MappingId> mapping;
    perf::CpuMode mode = perf::CpuMode::unknown;
    bool unnamed = false;  // all of the module that has no name, wherever it is
};

class Locations {
  public:
    explicit Locations(const World& world) : world_(&world) {}

    // From now on, places of one function are one: its first. See LoadOptions. `book` must outlive
    // this.
    void fold(ModuleBook& book, bool unnamed);

    // What find() needs to know of a place. Those of a whole call chain are prepared first, so that
    // the memory of all of them is waited for at once.
    struct Query {
        std::uint64_t address = 0;
        std::uint64_t hash = 0;
        std::uint64_t place = 0;  // in the module
        ModuleId module = 0;
        perf::CpuMode mode = perf::CpuMode::unknown;
        bool unnamed = false;
        std::optional<MappingId> mapping;
    };
    Query prepare(ImageId image, std::uint64_t address, perf::CpuMode mode, std::uint64_t time_ns);
    LocationId find(const Query& query);
    LocationId find(ImageId image, std::uint64_t address, perf::CpuMode mode,
                    std::uint64_t time_ns) {
        return find(prepare(image, address, mode, time_ns));
    }

    const Location& operator[](LocationId id) const { return list_[id]; }
    std::size_t size() const { return list_.size(); }

  private:
    static constexpr ModuleId no_module = ~ModuleId{0};
    // A stretch of a process that one mapping fills.
    struct Area {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint64_t shift = 0;  // from an address to what names it in the module
        ModuleId module = no_module;
        std::optional<MappingId> mapping;
    };
    struct Key {
        std::uint64_t place = 0;  // in the module
        ModuleId module = no_module;
        perf::CpuMode mode = perf::CpuMode::unknown;

        bool operator==(const Key&) const = default;
    };

    const Area& area_of(ImageId image, std::uint64_t address, std::uint64_t time_ns);
    Area look_up(ImageId image, std::uint64_t address, std::uint64_t time_ns) const;
    void fold(Query& query);

    const World* world_;
    std::vector<Location> list_;
    base::LargeVector<Key> keys_;  // of the list: what every sample is compared with
    base::IndexTable index_;
    std::vector<Area> recent_;  // by image; samples mostly stay where the last one was
    ModuleBook* book_ = nullptr;
    bool folds_unnamed_ = false;
    std::size_t known_mappings_ = 0;
};

}  // namespace ringside::profile
