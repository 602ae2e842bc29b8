#include "profile/address_space.h"

#include <random>

#include <gtest/gtest.h>

namespace ringside::profile {
namespace {

// What the tree must answer: every mapping, looked through one by one.
struct Plain {
    struct Entry {
        std::uint64_t time_ns;
        Mapping mapping;
        MappingId id;
    };
    std::vector<Entry> entries;

    std::optional<MappingId> find(std::uint64_t address, std::uint64_t time_ns) const {
        std::optional<MappingId> first;
        std::optional<MappingId> newest;
        for (const auto& [since, mapping, id] : entries) {
            if (address < mapping.start || address >= mapping.end) continue;
            if (!first) first = id;
            if (since <= time_ns) newest = id;
        }
        return newest ? newest : first;
    }
};

constexpr std::uint64_t addresses = 64;

void expect_same(const AddressSpace& space, const Plain& plain, std::uint64_t last_ns) {
    for (std::uint64_t time = 0; time <= last_ns + 1; ++time) {
        for (std::uint64_t address = 0; address < addresses; ++address) {
            const auto found = space.find(address, time);
            ASSERT_EQ(found.mapping, plain.find(address, time)) << address << " at " << time;
            // What may be remembered is the same everywhere in it, at all times.
            for (std::uint64_t other = found.start; other < std::min(found.end, addresses); ++other)
                ASSERT_EQ(plain.find(other, (time * 7) % (last_ns + 2)), found.mapping) << other;
        }
    }
}

TEST(AddressSpace, AnswersAsAListWould) {
    std::mt19937 random(1);
    for (int round = 0; round < 40; ++round) {
        AddressSpace space;
        Plain plain;
        std::uint64_t now = 0;
        for (MappingId id = 0; id < 30; ++id) {
            now += random() % 3;
            const std::uint64_t start = random() % addresses;
            const Mapping mapping{start, start + random() % 20, 0, 0};
            space.map(now, mapping, id);
            plain.entries.push_back({now, mapping, id});
        }
        expect_same(space, plain, now);
    }
}

TEST(AddressSpace, AForkSeesWhatWasThenAndNeitherSeesWhatTheOtherMapsLater) {
    std::mt19937 random(2);
    for (int round = 0; round < 20; ++round) {
        AddressSpace parent;
        Plain before;
        for (MappingId id = 0; id < 20; ++id) {
            const std::uint64_t start = random() % addresses;
            const Mapping mapping{start, start + random() % 20, 0, 0};
            parent.map(id, mapping, id);
            before.entries.push_back({id, mapping, id});
        }
        AddressSpace child = parent.fork();
        Plain parents = before;
        for (MappingId id = 20; id < 40; ++id) {
            const Mapping mapping{random() % addresses, addresses, 0, 0};
            (id % 2 == 0 ? parent : child).map(id, mapping, id);
            if (id % 2 == 0) parents.entries.push_back({id, mapping, id});
        }
        expect_same(parent, parents, 40);
        for (std::uint64_t address = 0; address < addresses; ++address) {
            const auto then = before.find(address, 20);
            const auto found = child.find(address, 20).mapping;
            const bool as_then = then ? found == then : !found || *found % 2 == 1;
            EXPECT_TRUE(as_then) << address;
        }
    }
}

TEST(AddressSpace, NothingAndTheWholeSpaceAreMappings) {
    AddressSpace space;
    space.map(1, {5, 5, 0, 0}, 0);
    space.map(1, {9, 5, 0, 0}, 1);
    EXPECT_FALSE(space.find(5, 9).mapping);
    EXPECT_EQ(space.find(5, 9).end, ~std::uint64_t{0});
    space.map(2, {0, ~std::uint64_t{0}, 0, 0}, 2);
    EXPECT_EQ(space.find(0, 0).mapping, 2u);
    EXPECT_EQ(space.find(~std::uint64_t{0} - 1, 0).mapping, 2u);
    EXPECT_FALSE(space.find(~std::uint64_t{0}, 0).mapping);
}

// Each was once as much work as the square of what a file says.
TEST(AddressSpace, ManyMappingsUnderManyThatCoverThemAll) {
    constexpr MappingId many = 20'000;
    AddressSpace space;
    for (MappingId id = 0; id < many; ++id) space.map(id, {id * 2u, id * 2u + 1, 0, 0}, id);
    for (MappingId id = 0; id < many; ++id) space.map(many + id, {0, 2 * many, 0, 0}, many + id);
    EXPECT_EQ(space.find(10, 0).mapping, 5u);
    EXPECT_EQ(space.find(11, 0).mapping, many) << "the first that was there";
    EXPECT_EQ(space.find(10, 2 * many).mapping, 2 * many - 1);
    EXPECT_EQ(space.find(10, many + 7).mapping, many + 7);
}

TEST(AddressSpace, ManyForksOfALargeParent) {
    constexpr MappingId many = 20'000;
    AddressSpace parent;
    for (MappingId id = 0; id < many; ++id) parent.map(0, {id * 2u, id * 2u + 1, 0, 0}, id);
    std::vector<AddressSpace> children;
    for (MappingId id = 0; id < many; ++id) {
        children.push_back(id % 2 == 0 || children.empty() ? parent.fork()
                                                           : children.back().fork());
        children.back().map(1, {id * 2u, id * 2u + 2, 0, 0}, many + id);
    }
    for (MappingId id = 0; id < many; ++id) {
        ASSERT_EQ(children[id].find(id * 2u, 1).mapping, many + id);
        ASSERT_EQ(parent.find(id * 2u, 1).mapping, id);
    }
}

}  // namespace
}  // namespace ringside::profile
