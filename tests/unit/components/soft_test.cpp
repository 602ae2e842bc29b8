// The soft component on a page that this process writes itself, in the plugin's place.
#include "components/soft/soft.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "softpmu/store.h"
#include "tests/scratch.h"

namespace ringside::components::soft {
namespace {

namespace fs = std::filesystem;

struct Counted {
    explicit Counted(const std::string& name) : folder(scratch::file(name)) {
        fs::create_directories(folder);
        EXPECT_EQ(store.open({folder, 62, 1u << SOFT_INSTRUCTIONS | 1u << SOFT_BRANCHES, 0, 0}), 0);
        store.show_vcpus(2);
        count(0, 500);
        store.begin_thread(0, static_cast<std::uint32_t>(::gettid()));
        count(0, 40);
        count(1, 9);
    }
    void count(std::uint32_t vcpu, std::uint64_t instructions) {
        store.vcpu(vcpu).counter[SOFT_INSTRUCTIONS].raw += instructions;
    }
    session::CountersPtr open(const SetOptions& options = {}) const {
        const auto component = make_in(folder);
        const auto event = component->find("INSTRUCTIONS");
        if (!event) return nullptr;
        auto counters = component->open(std::span(&*event, 1), options);
        return counters ? std::move(*counters) : nullptr;
    }

    std::string folder;
    softpmu::Store store;
};

std::int64_t value_of(session::Counters& counters) {
    std::int64_t value = -1;
    EXPECT_TRUE(counters.read_values(std::span(&value, 1)));
    return value;
}

TEST(SoftComponent, CountsItsThread) {
    Counted run("soft_thread");
    const auto counters = run.open();
    ASSERT_NE(counters, nullptr);
    ASSERT_TRUE(counters->start());
    run.count(0, 100);
    run.count(1, 1000);
    EXPECT_EQ(value_of(*counters), 100);
    run.count(0, 1);
    ASSERT_TRUE(counters->stop());
    run.count(0, 1);
    EXPECT_EQ(value_of(*counters), 101);
    ASSERT_TRUE(counters->reset());
    EXPECT_EQ(value_of(*counters), 0);
    EXPECT_NE(counters->explain(0).find("soft"), std::string::npos);
}

TEST(SoftComponent, CountsItsProcess) {
    Counted run("soft_process");
    SetOptions options;
    options.target = Target::process(::getpid());
    const auto counters = run.open(options);
    ASSERT_NE(counters, nullptr);
    ASSERT_TRUE(counters->start());
    run.count(1, 1000);
    run.store.show_vcpus(3);
    run.count(2, 5);
    EXPECT_EQ(value_of(*counters), 1005) << "a thread that began later, too";
}

TEST(SoftComponent, ShowsOnlyWhatIsCounted) {
    const Counted run("soft_events");
    const auto component = make_in(run.folder);
    EXPECT_TRUE(component->availability().usable);
    EXPECT_EQ(component->events().size(), 2u);
    const auto loads = component->find("LOADS");
    ASSERT_FALSE(loads);
    EXPECT_EQ(loads.error().code, ErrorCode::unsupported);
    EXPECT_EQ(component->find("NONSENSE").error().code, ErrorCode::not_found);
}

TEST(SoftComponent, RefusesWhatItDoesNotCount) {
    const Counted run("soft_targets");
    for (const auto& target : {Target::process(1), Target::thread(1), Target::system(),
                               Target::on_cpus({0}), Target::in_cgroup("/")}) {
        SetOptions options;
        options.target = target;
        EXPECT_EQ(run.open(options), nullptr) << static_cast<int>(target.kind);
    }
}

TEST(SoftComponent, IsNotThereWithoutAPage) {
    EXPECT_FALSE(make_in("")->availability().usable);
    EXPECT_FALSE(make_in("/no/such/folder")->availability().usable);
    const std::string folder = scratch::file("soft_forged");
    fs::create_directories(folder);
    EXPECT_FALSE(make_in(folder)->availability().usable);
    std::ofstream(folder + "/" + std::to_string(::getpid()) + "-0.soft") << "not a page";
    EXPECT_FALSE(make_in(folder)->availability().usable);
    EXPECT_TRUE(make_in(folder)->events().empty());
    EXPECT_FALSE(make(base::SysRoot("/no/such/machine"))->availability().usable);
}

}  // namespace
}  // namespace ringside::components::soft
