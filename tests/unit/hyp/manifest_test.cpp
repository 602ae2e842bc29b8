#include "hyp/core/manifest.h"

#include <gtest/gtest.h>

namespace ringside::hyp {
namespace {

constexpr Range ram{0x40000000, 0x50000000};
constexpr Range reserved{0x40000000, 0x41000000};

ManifestProblem parse(std::string_view text, Manifest& into) {
    return parse_manifest(text, ram, reserved, into);
}

std::string problem_of(std::string_view text) {
    Manifest manifest;
    const ManifestProblem problem = parse(text, manifest);
    return problem ? std::to_string(problem.line) + ": " + problem.what : "";
}

constexpr std::string_view good_guest =
    "guest a\nmemory 0x42000000 0x400000 at 0x40000000\nentry 0x40200000\n";

TEST(Manifest, reads_everything_a_manifest_can_say) {
    Manifest manifest;
    const auto problem = parse(
        "# a comment\n"
        "slice_us 250\n"
        "limit_ms 4000\r\n"
        "host_event 0x11 pinned host_only period 1000\n"
        "host_event 8\n"
        "\n"
        "guest first\n"
        "  memory 0x42000000 0x400000 at 0x40000000\n"
        "  entry 0x40200000\n"
        "  policy lazy_mediated\n"
        "  direct\n"
        "guest linux\n"
        "  memory 0x48000000 0x8000000\n"
        "  entry 0x48000000\n"
        "  policy shared_view\n"
        "  consents\n"
        "  devices\n"
        "  leads\n"
        "  deny 0x11 0x08\n"
        "  forward nic 0x10000000 0x1000 work 250\n"
        "  forward clock 0x09010000 0x1000\n"
        "  device_tree 0x4f000000\n"
        "  initrd 0x4c000000 0x1000\n"
        "  arguments console=ttyAMA0  quiet\n",
        manifest);
    ASSERT_FALSE(problem) << problem.line << ": " << problem.what;
    EXPECT_EQ(manifest.slice_us, 250u);
    EXPECT_EQ(manifest.limit_ms, 4000u);
    ASSERT_EQ(manifest.host_event_count, 2u);
    EXPECT_EQ(manifest.host_events[0].event.select, 0x11);
    EXPECT_TRUE(manifest.host_events[0].pinned);
    EXPECT_FALSE(manifest.host_events[0].in_guest);
    EXPECT_EQ(manifest.host_events[0].period, 1000u);
    EXPECT_FALSE(manifest.host_events[1].pinned);
    ASSERT_EQ(manifest.guest_count, 2u);
    const GuestSpec& first = manifest.guests[0];
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.memory.begin, 0x42000000u);
    EXPECT_EQ(first.guest_memory().end, 0x40400000u);
    EXPECT_EQ(first.policy, vpmu::Policy::lazy_mediated);
    EXPECT_TRUE(first.direct);
    EXPECT_FALSE(first.devices);
    const GuestSpec& linux_guest = manifest.guests[1];
    EXPECT_EQ(linux_guest.guest_base, 0x48000000u);
    EXPECT_TRUE(linux_guest.consents && linux_guest.devices && linux_guest.leads);
    EXPECT_EQ(linux_guest.filter.count, 2u);
    EXPECT_EQ(linux_guest.filter.entries[1].select, 8);
    ASSERT_EQ(linux_guest.window_count, 2u);
    EXPECT_EQ(linux_guest.windows[0].name, "nic");
    EXPECT_EQ(linux_guest.windows[0].range.end, 0x10001000u);
    EXPECT_EQ(linux_guest.windows[0].work, 250u);
    EXPECT_EQ(linux_guest.windows[1].work, 0u);
    EXPECT_EQ(linux_guest.initrd.end, 0x4c001000u);
    EXPECT_EQ(linux_guest.boot_arguments, "console=ttyAMA0  quiet");
}

TEST(Manifest, names_the_line_that_is_wrong) {
    EXPECT_EQ(problem_of("slice_us 9\n"), "1: slice_us wants 10 to 1000000");
    EXPECT_EQ(problem_of("slice_us 100 200\n"), "1: more words than expected");
    EXPECT_EQ(problem_of("\nlimit_ms 0x\n"), "2: limit_ms wants 1 to 3600000");
    EXPECT_EQ(problem_of("memory 0x42000000 0x1000\n"), "1: this statement belongs to a guest");
    EXPECT_EQ(problem_of("guest a\nhover\n"), "2: unknown statement");
    EXPECT_EQ(problem_of("guest a\nguest a\n"), "2: two guests have the same name");
    EXPECT_EQ(problem_of("guest a\npolicy fair\n"), "2: no such policy");
    EXPECT_EQ(problem_of("guest a\nmemory 0x42000000 0x1001\n"), "2: memory is not in whole pages");
    EXPECT_EQ(problem_of("guest a\nmemory 0x42000000 99999999999999999999\n"),
              "2: memory wants a base and a size");
    EXPECT_EQ(problem_of("guest a\ndeny\n"), "2: a filter wants event numbers");
    EXPECT_EQ(problem_of("host_event 0x10000\n"), "1: host_event wants an event number");
    EXPECT_EQ(problem_of(""), "0: no guest");
}

TEST(Manifest, guests_must_fit_and_be_apart) {
    const auto with = [](std::string_view more) {
        return std::string(good_guest) + std::string(more);
    };
    EXPECT_EQ(problem_of(good_guest), "");
    EXPECT_EQ(problem_of(with("guest b\nmemory 0x42100000 0x200000\nentry 0x42100000\n")),
              "6: two guests share memory");
    EXPECT_EQ(problem_of(with("guest b\nmemory 0x4ff00000 0x200000\nentry 0x4ff00000\n")),
              "6: a guest does not fit the machine's memory");
    EXPECT_EQ(problem_of(with("guest b\nmemory 0x40ff0000 0x20000\nentry 0x40ff0000\n")),
              "6: a guest lies on the hypervisor");
    EXPECT_EQ(problem_of(with("guest b\nmemory 0x43000000 0x1000\nentry 0x43001000\n")),
              "6: a guest's entry is outside its memory");
    EXPECT_EQ(
        problem_of(with("guest b\nmemory 0x43000000 0x1000 at 0xfffff000\nentry 0xfffff000\n")),
        "");
    EXPECT_EQ(
        problem_of(with("guest b\nmemory 0x43000000 0x2000 at 0xfffff000\nentry 0xfffff000\n")),
        "6: a guest sees memory beyond 4 GiB");
    EXPECT_EQ(problem_of(with("guest b\nmemory 0x43000000 0x1000 at 0x8000000\nentry 0x8000000\n")),
              "6: a guest sees memory where the devices are");
    EXPECT_EQ(problem_of(with("initrd 0x40300000 0x200000\n")),
              "4: a guest's initrd is outside its memory");
    EXPECT_EQ(problem_of(with("devices\nguest b\nmemory 0x43000000 0x1000\nentry 0x43000000\n"
                              "devices\n")),
              "8: two guests own the devices");
}

TEST(Manifest, windows_are_of_devices_that_the_guest_owns) {
    const auto with = [](std::string_view more) {
        return std::string(good_guest) + "devices\n" + std::string(more);
    };
    EXPECT_EQ(problem_of(with("forward nic 0x10000000 0x1000\n")), "");
    EXPECT_EQ(problem_of(with("forward 0x10000000 0x1000\n")),
              "5: forward wants a name, a base and a size");
    EXPECT_EQ(problem_of(with("forward nic 0x10000000 0\n")),
              "5: forward wants a name, a base and a size");
    EXPECT_EQ(problem_of(with("forward nic 0x10000800 0x1000\n")),
              "5: a window is not in whole pages");
    EXPECT_EQ(problem_of(with("forward nic 0x10000000 0x1000 work 1000001\n")),
              "5: work wants 0 to 1000000 instructions");
    EXPECT_EQ(problem_of(with("forward nic 0x10000000 0x1000 work\n")),
              "5: work wants 0 to 1000000 instructions");
    EXPECT_EQ(problem_of(with("forward ram 0x3ffff000 0x2000\n")),
              "5: a window is not where the devices are");
    EXPECT_EQ(problem_of(with("forward a 0x10000000 0x3000\nforward b 0x10002000 0x1000\n")),
              "6: two windows overlap");
    EXPECT_EQ(problem_of(std::string(good_guest) + "forward nic 0x10000000 0x1000\n"),
              "4: forward is for who owns the devices");
}

TEST(Manifest, tables_do_not_overflow) {
    std::string guests;
    for (unsigned i = 0; i <= max_guests; ++i) guests += "guest g" + std::to_string(i) + "\n";
    EXPECT_EQ(problem_of(guests), "9: too many guests");
    std::string events;
    for (unsigned i = 0; i <= max_host_event_specs; ++i) events += "host_event 8\n";
    EXPECT_EQ(problem_of(events), "9: too many host events");
    std::string filter = "guest a\nallow";
    for (unsigned i = 0; i <= max_filter_events; ++i) filter += " 8";
    EXPECT_EQ(problem_of(filter), "2: too many events in the filter");
    std::string windows = "guest a\n";
    for (unsigned i = 0; i <= max_windows; ++i) windows += "forward w 0x10000000 0x1000\n";
    EXPECT_EQ(problem_of(windows), "6: too many windows");
}

}  // namespace
}  // namespace ringside::hyp
