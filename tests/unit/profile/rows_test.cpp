#include "profile/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../data_builder.h"
#include "../../scratch.h"

namespace ringside::profile {
namespace {

using builders::DataBuilder;

// Three places; the first two are one function.
struct Sample {
    Profile profile;
    Naming naming;
};

Sample recursion() {
    DataBuilder builder(base::ByteOrder::same, true);
    const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    builder.comm(7, 7, 1, "app");
    // main -> walk -> walk -> leaf, and main -> walk.
    builder.sample(7, 10, 0x40, 10, PERF_RECORD_MISC_USER, {user, 0x40, 0x21, 0x20, 0x10});
    builder.sample(7, 11, 0x21, 5, PERF_RECORD_MISC_USER, {user, 0x21, 0x10});
    const auto path = DataBuilder::write(scratch::file("rows.data"), builder.file());
    Keep keep;
    keep.stack = true;
    auto profile = load(path, {keep});
    Sample sample{std::move(*profile), {}};
    sample.naming.functions = {{"main", "app", perf::CpuMode::user, true},
                               {"walk", "app", perf::CpuMode::user, true},
                               {"leaf", "lib", perf::CpuMode::user, true}};
    for (LocationId id = 0; id < sample.profile.locations.size(); ++id) {
        const auto address = sample.profile.locations[id].address;
        sample.naming.of_location.push_back(address < 0x20 ? 0 : address < 0x40 ? 1 : 2);
    }
    return sample;
}

const Row* find(const Sample& sample, const std::vector<EventRows>& rows, const std::string& name) {
    for (const auto& row : rows[0].rows)
        if (sample.naming.functions[row.function].name == name) return &row;
    return nullptr;
}

TEST(Rows, ARecursiveFunctionCountsOnceInItsTotal) {
    const Sample sample = recursion();
    const auto rows = make_rows(sample.profile, sample.naming,
                                {Column::comm, Column::module, Column::symbol}, true);
    ASSERT_EQ(rows[0].rows.size(), 3u);
    EXPECT_EQ(find(sample, rows, "main")->total_period, 15u);
    EXPECT_EQ(find(sample, rows, "main")->period, 0u);
    EXPECT_EQ(find(sample, rows, "walk")->total_period, 15u);
    EXPECT_EQ(find(sample, rows, "walk")->period, 5u);
    EXPECT_EQ(find(sample, rows, "leaf")->total_period, 10u);
    EXPECT_EQ(find(sample, rows, "leaf")->period, 10u);
}

TEST(Rows, ModulesAloneMergeTheirFunctions) {
    const Sample sample = recursion();
    const auto rows = make_rows(sample.profile, sample.naming, {Column::module});
    ASSERT_EQ(rows[0].rows.size(), 2u);
    EXPECT_EQ(rows[0].rows[0].period, 10u);
    EXPECT_EQ(sample.naming.functions[rows[0].rows[0].function].module, "lib");
    EXPECT_EQ(rows[0].rows[1].samples, 1u);
}

TEST(Rows, ColumnsAreNamedAsPeopleTypeThem) {
    const auto columns = parse_columns("comm, dso,symbol");
    ASSERT_TRUE(columns);
    EXPECT_EQ(*columns, (std::vector<Column>{Column::comm, Column::module, Column::symbol}));
    EXPECT_FALSE(parse_columns("comm,weather"));
    EXPECT_FALSE(parse_columns(""));
}

}  // namespace
}  // namespace ringside::profile
