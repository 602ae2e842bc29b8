// driver/ over the hypervisor's page, in Linux: per-thread counts as on the machine itself, and
// what only the page can say.
#include <gmock/gmock.h>

#include "../said_lines.h"
#include "machine.h"

namespace ringside::hyp_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Said {
  public:
    explicit Said(const std::string& out) : said_(lines_of(out)) {}
    std::string text(const std::string& name) const {
        const auto found = said_.find(name);
        return found == said_.end() ? "" : found->second;
    }
    long number(const std::string& name) const { return std::atol(text(name).c_str()); }
    std::size_t count(const std::string& name) const { return said_.count(name); }
    // Of all lines with this name.
    std::vector<long> numbers(const std::string& name) const {
        std::vector<long> found;
        for (auto [at, end] = said_.equal_range(name); at != end; ++at) {
            found.push_back(std::atol(at->second.c_str()));
        }
        return found;
    }

  private:
    std::multimap<std::string, std::string> said_;
};

constexpr const char* loop = RINGSIDE_ARM64_BUILD "/workloads/counted_loop:/usr/bin/";
constexpr const char* reads = RINGSIDE_ARM64_BUILD "/tests/system/soft_reads:/usr/bin/";
constexpr const char* questions = RINGSIDE_HYP_TESTS "/page_in_guest.sh:/usr/bin/";

// What the same program counts without a hypervisor, on the same processor.
long natively() {
    const BoxResult native =
        run_box("arm64-pmu", {"--cpu", "max,pauth=off,sve=off,sme=off", "--put", loop},
                "perf stat -x, -o /tmp/stat -e instructions:u -- counted_loop 3000000 && "
                "grep instructions /tmp/stat");
    EXPECT_EQ(native.exit_code, 0) << native.err;
    return std::atol(native.out.c_str());
}

TEST(Driver, threads_count_as_on_the_machine_itself) {
    REQUIRE_HYP();
    const BoxResult result = run_box(
        "arm64-hyp", {"--policy", "paravirtual", "--put", loop, "--put", reads, "--put", questions},
        "page_in_guest.sh");
    SCOPED_TRACE(result.out + result.err);
    const Said said(result.out);
    ASSERT_EQ(said.text("end"), "reached");

    EXPECT_EQ(said.number("counters"), 3);
    const long many = said.number("many");
    EXPECT_EQ(many, natively());
    EXPECT_EQ(many - said.number("few"), 4'000'000);
    EXPECT_THAT(said.text("ringside_stat"), ContainsRegex(",60[0-9]{5},,ok,"));
    EXPECT_EQ(said.number("again"), many);

    // Threads apart, by the library, without the kernel.
    EXPECT_EQ(said.number("own"), 2'000'000);
    EXPECT_EQ(said.number("other"), 4'000'000);
    EXPECT_EQ(said.number("papi"), 2'000'000);
    EXPECT_EQ(said.text("read_by"),
              "soft: counted by the CPU, which our hypervisor shares, read from its page");

    // Two processes took turns and counted the same, and there was nothing to tell the hypervisor.
    EXPECT_GT(said.number("switches"), 4);
    EXPECT_LE(said.number("hypercalls"), 1);
    const auto beside = said.numbers("beside");
    ASSERT_EQ(beside.size(), 2u);
    EXPECT_EQ(beside[0], beside[1]);
    // One digit more to read from the command line.
    EXPECT_NEAR(static_cast<double>(beside[0] - many), 54'000'000, 100);

    // Every period has its sample, and where it should be.
    EXPECT_EQ(said.number("samples"), many / 100'003);
    EXPECT_GE(said.number("samples_in_loop"), 6'000'000 / 100'003 - 1);
    EXPECT_EQ(said.number("lost"), 0);

    EXPECT_EQ(said.text("no_such_event"), "refused");
    EXPECT_EQ(said.text("unload_while_used"), "refused");
    EXPECT_EQ(said.text("unload"), "done");
    EXPECT_EQ(said.count("left_behind"), 0u);
    EXPECT_EQ(said.count("complaint"), 0u);
}

// Under legacy Linux's own perf reads 0 beside pinned host events, and believes it; with the
// driver the page says why.
TEST(Driver, tells_of_starved_counters) {
    REQUIRE_HYP();
    const BoxResult result = run_box(
        "arm64-hyp", {"--policy", "legacy", "--host-events", "0x08 pinned,0x08 pinned"},
        "insmod /lib/modules/$(uname -r)/ringside_pmu.ko; page=/sys/class/misc/ringside_vpmu\n"
        "perf stat -x, -o /tmp/stat -e instructions:u,instructions:u,instructions:u -- "
        "sed 's/^/now /' $page/starved\n"
        "echo \"zeros $(grep -c '^0,,instructions' /tmp/stat)\"\n"
        "echo \"after $(cat $page/starved)\"\n"
        "echo \"starved_ns $(cat $page/starved_ns)\"\n"
        "ls -d /sys/bus/event_source/devices/ringside_vpmu 2>/dev/null\n"
        "ringside doctor --json | sed 's/^ */doctor /'");
    SCOPED_TRACE(result.out + result.err);
    const Said said(result.out);
    EXPECT_EQ(said.number("zeros"), 2);
    EXPECT_EQ(said.text("now"), "cpu0 0x6");
    EXPECT_EQ(said.text("after"), "cpu0 0x0");
    EXPECT_GT(said.number("starved_ns"), 0);
    EXPECT_EQ(said.count("/sys/bus/event_source/devices/ringside_vpmu"), 0u)
        << "Linux has a PMU of its own under this policy";
    EXPECT_THAT(result.out, HasSubstr("\"source\": \"/dev/ringside_vpmu\""));
    EXPECT_THAT(result.out, HasSubstr("\"policy\": \"legacy\""));
}

}  // namespace
}  // namespace ringside::hyp_test
