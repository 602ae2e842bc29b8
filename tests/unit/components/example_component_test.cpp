// docs/components.md shows the parts of example_component.h; they must be the same, and must work.
#include "example_component.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "../platform/temp_tree.h"
#include "base/text.h"
#include "components/registry.h"
#include "readings.h"

namespace ringside::components {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string read_source(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(std::string(RINGSIDE_SOURCE_DIR "/") + path).rdbuf();
    return text.str();
}

std::string part_between(const std::string& text, const std::string& mark) {
    const auto begin = text.find(mark);
    const auto end = text.find(mark, begin + 1);
    if (begin == std::string::npos || end == std::string::npos) return "no mark " + mark;
    return text.substr(begin + mark.size(), end - begin - mark.size());
}

TEST(ExampleComponent, ThePageShowsTheCodeThatIsTested) {
    const auto code = read_source("tests/unit/components/example_component.h");
    const auto page = read_source("docs/components.md");
    for (const char* mark : {"// [counters]\n", "// [component]\n"}) {
        EXPECT_THAT(page, HasSubstr("```c++" + std::string(1, '\n') +
                                    std::string(base::trim(part_between(code, mark))) + "\n```"))
            << "docs/components.md differs from " << mark;
    }
}

TEST(ExampleComponent, CountsWhatItSays) {
    platform::TempTree tree;
    tree.put("/proc/sys/kernel/random/entropy_avail", "200\n");
    const auto component = entropy::make(tree.root());
    EXPECT_TRUE(component->availability().usable);
    EXPECT_THAT(names(*component), ElementsAre("entropy_avail"));
    const auto counters = started(*component, {"entropy_avail"});
    ASSERT_TRUE(counters);
    tree.put("/proc/sys/kernel/random/entropy_avail", "180\n");
    EXPECT_THAT(values(*counters, 1), ElementsAre(180));
    EXPECT_FALSE(component->find("poolsize"));
    EXPECT_FALSE(entropy::make(platform::TempTree().root())->availability().usable);
}

// What every component promises, asked of all there are on the machine the tests run on.
TEST(Registry, EveryComponentKeepsTheRules) {
    for (const auto& component : all_components()) {
        const std::string name(component->name());
        EXPECT_FALSE(component->description().empty()) << name;
        const auto can = component->availability();
        EXPECT_TRUE(can.usable || !can.reason.empty()) << name;
        EXPECT_FALSE(component->find("no such event")) << name;
        EXPECT_FALSE(component->find("")) << name;
        EXPECT_TRUE(can.usable || component->events().empty()) << name;
    }
}

TEST(Registry, NoComponentNeedsTheMachineToBeThere) {
    const platform::TempTree nothing;
    for (const auto& component : all_components(nothing.root())) {
        static_cast<void>(component->availability());
        static_cast<void>(component->events());
        EXPECT_FALSE(component->find("x:y:z")) << component->name();
    }
}

}  // namespace
}  // namespace ringside::components
