#include "platform/identity.h"

#include <set>

#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::platform {
namespace {

TEST(Identity, AStarStandsForAnythingAtEitherEnd) {
    EXPECT_TRUE(matches("xen", "xen"));
    EXPECT_FALSE(matches("xen", "xen "));
    EXPECT_TRUE(matches("VMware*", "VMware7,1"));
    EXPECT_TRUE(matches("*.metal", "c6g.metal"));
    EXPECT_FALSE(matches("*.metal", "c6g.metallic"));
    EXPECT_TRUE(matches("*amazon*", "4.11.amazon"));
    EXPECT_TRUE(matches("*", "anything"));
}

TEST(Identity, TheFirstRowCountsAndTheHighestRankComesFirst) {
    const std::string_view table =
        "source,match,name,detail,rank\n"
        "dmi,QEMU*,unknown,qemu,50\n"
        "dmi,*,none,,5\n"
        "cpuid,KVM,kvm,,60\n";
    const auto found = recognise({{"dmi", "/a", "Dell"},
                                  {"dmi", "/b", "QEMU"},
                                  {"cpuid", "leaf", "KVM"},
                                  {"other", "/c", "KVM"}},
                                 table);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "kvm");
    EXPECT_EQ(found[1].detail, "qemu");
    EXPECT_EQ(found[1].evidence.source, "/b");
    EXPECT_FALSE(found[1].evidence.weak);
    EXPECT_EQ(found[2].name, "none");
    EXPECT_TRUE(found[2].evidence.weak);
}

TEST(Identity, WhatIsNotTextIsNotRecognised) {
    EXPECT_TRUE(
        recognise({{"dmi", "/a", "Dell\x01"}, {"dmi", "/b", ""}}, "dmi,*,none,,5\n").empty());
}

// A row with a typing error would be skipped in silence; this is where it is heard.
TEST(Identity, EveryRowOfTheTablesIsWellFormed) {
    for (const std::string file : {"platform/hypervisors.csv", "platform/containers.csv"}) {
        const auto table = base::embedded_file(file);
        ASSERT_TRUE(table) << file;
        const auto rows = base::parse_csv(*table);
        std::set<std::string> keys;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            ASSERT_EQ(rows[i].size(), 5u) << file << " row " << i;
            EXPECT_TRUE(base::parse_u64(rows[i][4])) << file << " " << rows[i][1];
            EXPECT_FALSE(rows[i][2].empty()) << file << " " << rows[i][1];
            EXPECT_TRUE(keys.insert(rows[i][0] + "=" + rows[i][1]).second) << rows[i][1];
        }
    }
}

}  // namespace
}  // namespace ringside::platform
