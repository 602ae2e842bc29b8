// The images of test VMs: the same bytes whatever was built before, and a machine that
// lacks what its kind promises says so instead of running the command.
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "box.h"
#include "guest/files.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A cache of its own that takes packages, kernels and drivers from the usual one, and makes images
// anew.
class OwnCache {
  public:
    OwnCache() {
        const auto usual = guest::cache_directory().value();
        for (const auto* shared : {"packages", "kernels"}) {
            fs::create_directory_symlink(usual / shared, scratch_.path() / shared);
        }
        fs::copy(usual / "drivers", scratch_.path() / "drivers");
    }
    base::CommandOutput ringside_with(std::vector<std::string> words) const {
        words.insert(words.begin(),
                     {"env", "RINGSIDE_CACHE=" + scratch_.path().string(), ringside});
        auto output = base::run(words);
        return output ? std::move(*output) : base::CommandOutput{};
    }
    // Sets the kinds up one after the other; what each added.
    std::map<std::string, std::string> images_in_order(
        const std::vector<std::string>& kinds) const {
        std::map<std::string, std::string> images;
        std::set<fs::path> known;
        for (const auto& kind : kinds) {
            const auto output = ringside_with({"guest", "setup", kind});
            EXPECT_EQ(output.status.shell_code(), 0) << output.stderr_text;
            for (const auto& file : fs::directory_iterator(scratch_.path() / "layers")) {
                if (!known.insert(file.path()).second) continue;
                images[kind] += guest::read_file(file.path()).value();
            }
        }
        return images;
    }
    std::vector<fs::path> drivers() const {
        std::vector<fs::path> found;
        for (const auto& file : fs::directory_iterator(scratch_.path() / "drivers")) {
            found.push_back(file.path());
        }
        return found;
    }

  private:
    Scratch scratch_;
};

// Whether the list of modules to load at boot, a file of the image, has our driver.
bool loads_our_driver(const std::string& image) {
    return image.find("/ringside_pmu.ko\n") != std::string::npos;
}

TEST(Images, AreTheSameInEveryOrderOfBuildingThem) {
    REQUIRE_BOX("x86");
    REQUIRE_BOX("arm64");
    const std::vector<std::string> kinds{"arm64-hyp", "arm64-soft", "arm64-pmu", "x86-soft",
                                         "x86-guest"};
    for (const auto& kind : kinds) ASSERT_EQ(run_box({"setup", kind}).exit_code, 0);
    const auto forward = OwnCache().images_in_order(kinds);
    const auto backward = OwnCache().images_in_order({kinds.rbegin(), kinds.rend()});
    for (const auto& kind : kinds) {
        ASSERT_TRUE(forward.contains(kind)) << kind << " has the image of another kind";
        ASSERT_TRUE(backward.contains(kind)) << kind << " has the image of another kind";
        EXPECT_TRUE(forward.at(kind) == backward.at(kind)) << kind;
    }
    EXPECT_TRUE(loads_our_driver(forward.at("arm64-soft")));
    EXPECT_TRUE(loads_our_driver(forward.at("x86-soft")));
    EXPECT_FALSE(loads_our_driver(forward.at("arm64-hyp"))) << "there init decides";
    EXPECT_FALSE(loads_our_driver(forward.at("x86-guest")));
}

TEST(Images, AMachineWithoutItsDriverDoesNotRunTheCommand) {
    REQUIRE_BOX("x86");
    ASSERT_EQ(run_box({"setup", "x86-soft"}).exit_code, 0);
    const OwnCache cache;
    for (const auto& driver : cache.drivers()) {
        ASSERT_TRUE(guest::write_file(driver, "this is no module"));
    }
    const auto output = cache.ringside_with({"guest", "run", "x86-soft", "--", "echo", "ran"});
    EXPECT_EQ(output.status.shell_code(), 125);
    EXPECT_THAT(output.stdout_text, IsEmpty());
    EXPECT_THAT(
        output.stderr_text,
        HasSubstr("x86-soft lacks what its kind promises: module ringside_pmu.ko does not load"));
}

}  // namespace
}  // namespace ringside::system_test
