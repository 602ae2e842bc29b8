#include "profile/demangle.h"

#include <string>

#include <gtest/gtest.h>

namespace ringside::profile {
namespace {

TEST(Demangle, NamesAsPerfShowsThem) {
    EXPECT_EQ(demangle("main"), "main");
    EXPECT_EQ(demangle("_ZN8ringside4base4trimESt17basic_string_viewIcSt11char_traitsIcEE"),
              "ringside::base::trim");
    EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi"),
              "std::vector<int, std::allocator<int> >::push_back");
    EXPECT_EQ(demangle("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_"), "std::move<int&>");
    EXPECT_EQ(demangle("_Z1fv.isra.0"), "f");
    EXPECT_EQ(demangle("_Znot_a_name"), "_Znot_a_name");
}

// Each level has the one before twice: text of 2^level parts in nine bytes more.
std::string doubling_name(int levels) {
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string name = "_Z1f1aIiiE";
    for (int level = 0; level < levels; ++level) {
        const std::string before = {'S', digits[static_cast<std::size_t>(level)], '_'};
        name += "S_I" + before + before + 'E';
    }
    return name;
}

TEST(Demangle, ANameIsNoMoreTextThanSomebodyReads) {
    EXPECT_EQ(demangle(doubling_name(2)), "f");
    const std::string hostile = doubling_name(28);
    EXPECT_LT(hostile.size(), 300u);
    EXPECT_EQ(demangle(hostile), hostile);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(demangle(hostile), hostile) << "again";
    EXPECT_EQ(demangle("_Z1fv"), "f") << "and the next is read";
    const std::string lengthy = "_Z" + std::to_string(100'000) + std::string(100'000, 'x') + "v";
    EXPECT_EQ(demangle(lengthy), lengthy);
}

}  // namespace
}  // namespace ringside::profile
