// Lists: of events and components, of test VMs, of what the soft PMU counted.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/guest/guest_listing.h"
#include "report/list/listing.h"
#include "report/profile/annotation_report.h"

namespace ringside::report {
namespace {

Listing made_listing() {
    Listing made;
    made.events.resize(2);
    made.events[0].event.name = "page-faults";
    made.events[0].event.kind = model::EventKind::software;
    made.events[0].state = CounterState::ok;
    made.events[1].event.name = "cycles";
    made.events[1].event.kind = model::EventKind::hardware;
    made.events[1].state = CounterState::absent;
    made.events[1].reason = "there is no PMU";
    made.components = {{"net", "packets", {true, ""}}, {"infiniband", "ports", {false, "no port"}}};
    made.component_events.resize(1);
    made.component_events[0].event.name = "eth0:rx:bytes";
    made.component_events[0].event.description = "received";
    made.component_events[0].event.unit = "bytes";
    made.component_events[0].event.level = true;
    made.component_events[0].component = "net";
    made.component_events[0].name = "net:::eth0:rx:bytes";
    return made;
}

TEST(Listing, EventsAndComponents) {
    golden::expect("list.txt", list_text(made_listing(), Style(nullptr)));
    golden::expect("list.json", list_json(made_listing()));
}

TEST(GuestListing, KindsAndWhatRuns) {
    GuestListing made;
    made.cache = "/home/me/.cache/ringside";
    made.cached_bytes = 123'456'789;
    made.kinds = {{"amd64", "a PC under TCG", "amd64", true}, {"arm64-kvm", "EL2", "arm64", false}};
    made.running = {{17, "amd64", "2", "2048", "tcg"}};
    golden::expect("guest_list.txt", guest_list_text(made));
    golden::expect("guest_list.json", guest_list_json(made));
}

TEST(Annotation, InstructionsBesideTheirSource) {
    profile::Annotation made;
    made.symbol = "f(int)";
    made.module = "lib.so\033";
    made.samples = 4;
    made.period = 40;
    made.lines.resize(3);
    made.lines[0].address = 0x1000;
    made.lines[0].instruction = "push %rbp";
    made.lines[0].file = "/src/a.c";
    made.lines[0].source_line = 12;
    made.lines[1] = made.lines[0];
    made.lines[1].address = 0x1001;
    made.lines[1].period = 30;
    made.lines[1].samples = 3;
    made.lines[2].address = 0x1004;
    made.lines[2].instruction = "ret";
    const auto source = [](const std::string& file, std::uint32_t line) {
        return file == "/src/a.c" && line == 12 ? std::string("int f(int x) {") : std::string();
    };
    golden::expect("annotate.txt", annotation_text(made, source));
    golden::expect("annotate.json", annotation_json(made));
}

}  // namespace
}  // namespace ringside::report
