#include "events/metrics.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "base/sys_root.h"
#include "base/text.h"
#include "events/native.h"
#include "events/parse.h"

namespace ringside::events {
namespace {

using ::testing::HasSubstr;

// Read by libpfm when it is first used in this process: encode for processors that are not here.
const int inactive_too = ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);

TEST(Definitions, OneALineWithUnitAndDescription) {
    const auto all = parse_definitions(
        "# mine\n"
        "ipc = instructions / cycles ; 1/cycle ; how fast   # a remark\n"
        "\n"
        "  plain=page-faults\n",
        {});
    ASSERT_TRUE(all) << all.error().what;
    ASSERT_EQ(all->size(), 2u);
    EXPECT_EQ((*all)[0].name, "ipc");
    EXPECT_EQ((*all)[0].formula, "instructions / cycles");
    EXPECT_EQ((*all)[0].unit, "1/cycle");
    EXPECT_EQ((*all)[0].description, "how fast");
    EXPECT_TRUE((*all)[1].expression.is_name());
}

TEST(Definitions, SectionsAreForTheirProcessors) {
    const std::string text = "a = 1\n[arm64]\nb = 1\n[x86]\nc = 1\n[any]\nd = 1\n";
    const auto names = [&](const std::vector<std::string>& lines) {
        const auto definitions = parse_definitions(text, lines);
        std::string all;
        for (const auto& each : definitions.value()) all += each.name;
        return all;
    };
    EXPECT_EQ(names({"arm64"}), "abd");
    EXPECT_EQ(names({"x86", "amd"}), "acd");
    EXPECT_EQ(names({}), "ad");
}

TEST(Definitions, ErrorsNameTheLine) {
    for (const auto* bad :
         {"x", "x = ", "= 1", "1x = 2", "seconds = 1", "x = 1;2;3;4", "a b = 1"}) {
        const auto all = parse_definitions("ok = 1\n" + std::string(bad), {});
        ASSERT_FALSE(all) << bad;
        EXPECT_THAT(all.error().what, HasSubstr("line 2: ")) << bad;
    }
}

// The names of libpfm4 are spelt in capitals; each must exist on some processor it knows.
bool known_somewhere(const std::string& name) {
    for (const auto* pmu : {"hsw", "skl", "icl", "spr", "amd64_fam17h_zen2", "amd64_fam19h_zen4"}) {
        if (native_event(std::string(pmu) + "::" + name, true)) return true;
    }
    return false;
}

TEST(Presets, EveryFormulaIsOfEventsThatExistSomewhere) {
    if (!native_event("perf::PERF_COUNT_SW_PAGE_FAULTS", true)) GTEST_SKIP() << "no libpfm4 here";
    std::set<std::string> names;
    for (const auto* line : {"intel", "amd", "arm64"}) {
        for (const auto& preset : preset_definitions({line, "x86"})) {
            EXPECT_TRUE(preset.name.starts_with("PAPI_")) << preset.name;
            EXPECT_FALSE(preset.description.empty()) << preset.name;
            for (const auto& name : preset.expression.names()) names.insert(name);
        }
        EXPECT_GT(metric_definitions({line, "x86"}).size(), 5u);
    }
    const base::SysRoot machine(RINGSIDE_FIXTURES "/events");
#if !defined(__aarch64__)
    std::erase_if(names, [](const auto& name) {
        return name.find('_') != std::string::npos && name == base::to_lower(name);
    });
#endif
    for (const auto& name : names) {
        const bool native =
            name.front() >= 'A' && name.front() <= 'Z' && name.find('_') != std::string::npos;
        EXPECT_TRUE(native ? known_somewhere(name) : parse_event(machine, name).has_value())
            << name;
    }
}

TEST(NativeEvent, EncodesAsTheManualSays) {
    const auto event = native_event("skl::INST_RETIRED:ANY_P", true);
    if (!event && event.error().what.find("not installed") != std::string::npos) {
        GTEST_SKIP() << event.error().what;
    }
    ASSERT_TRUE(event) << event.error().what;
    // Intel SDM vol. 3, event C0H, umask 00H.
    EXPECT_EQ(event->code.config & 0xffff, 0xc0u);
    EXPECT_EQ(event->code.type, PERF_TYPE_RAW);
    EXPECT_FALSE(event->modes_named);
    EXPECT_EQ(event->exclude, model::Exclusions{});
    const auto user = native_event("skl::INST_RETIRED:ANY_P:u", true);
    ASSERT_TRUE(user) << user.error().what;
    EXPECT_TRUE(user->modes_named);
    EXPECT_TRUE(user->exclude.kernel);
    EXPECT_FALSE(user->exclude.user);
}

TEST(NativeEvent, SoftwareEventsHaveNamesThereToo) {
    const auto event = native_event("perf::PERF_COUNT_SW_PAGE_FAULTS");
    if (!event) GTEST_SKIP() << event.error().what;
    EXPECT_EQ(event->code, (model::EventCode{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0}));
    EXPECT_EQ(event->kind, model::EventKind::software);
}

// Whatever libpfm can encode: an event of another processor must not be opened on this one.
TEST(NativeEvent, AnotherProcessorsEventIsNotFound) {
    for (const auto* name : {"knc::CPU_CLK_UNHALTED", "no_such::EVENT", "NO_SUCH_EVENT"}) {
        const auto event = native_event(name);
        ASSERT_FALSE(event) << name;
        EXPECT_EQ(event.error().code, ErrorCode::not_found);
    }
}

}  // namespace
}  // namespace ringside::events
