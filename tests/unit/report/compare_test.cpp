// `ringside compare`: text, CSV, JSON and page of sides that are made up, or read from fixtures.
#include <gtest/gtest.h>

#include "../compare/sides.h"
#include "compare/warnings.h"
#include "golden.h"
#include "report/compare/compare_cells.h"
#include "report/compare/compare_page.h"
#include "report/compare/compare_view.h"

namespace ringside::report {
namespace {

CompareView joined(std::vector<run::Side> sides) {
    CompareView view;
    view.comparison = compare::join(sides).value();
    view.summary = compare::judge(sides, view.comparison);
    view.warnings = compare::find_warnings(sides);
    view.sides = std::move(sides);
    return view;
}

// Two recordings: functions, some without a name.
CompareView recorded_sides() {
    return joined(
        {compare::side_of_report("native", "native.txt"), compare::side_of_report("vm", "vm.txt")});
}

// Three sides that were measured here, one of which ended otherwise.
CompareView measured_sides() {
    std::vector<run::Side> sides{
        compare::timed("native", {{1.0, 0.9, 0.1}, {1.1, 0.9, 0.2}, {1.2, 1.0, 0.2}}),
        compare::timed("v<m>, 1", {{2.0, 1.5, 0.5}, {2.1, 1.5, 0.6}, {2.2, 1.6, 0.6}}),
        compare::timed("third", {{1.0, 0.9, 0.1}, {1.1, 0.9, 0.2}, {1.3, 1.0, 0.3}})};
    sides[1].kind = run::SideKind::kvm;
    sides[1].environment.kernel = "6.1.0";
    sides[1].environment.cpu = "AMD <EPYC>";
    sides[1].environment.cpus = 2;
    sides[1].environment.memory_bytes = 2.1e9;
    sides[1].environment.hypervisor = "kvm";
    sides[1].environment.clock_source = "kvm-clock";
    sides[1].environment.cpu_hz = 2.5e9;
    sides[1].exits = run::Exits{120, 3e8, {{"npf", 100, 2e8}, {"hlt", 20, 1e8}}};
    sides[1].notes = {"a note & more"};
    for (run::Side& side : sides) {
        for (run::Run& run : side.runs) run.exit_code = side.kind == run::SideKind::kvm;
        run::Measurement count = compare::count("instructions", 0);
        count.state = CounterState::absent;
        count.reason = "no PMU";
        for (run::Run& run : side.runs) run.counts.push_back(count);
    }
    CompareView view = joined(std::move(sides));
    view.title = "./solver a.dat";
    return view;
}

TEST(CompareReport, Text) {
    golden::expect("compare_recorded.txt", compare_text(recorded_sides(), 2, Style(nullptr)));
    golden::expect("compare_measured.txt", compare_text(measured_sides(), 10, Style(nullptr)));
}

TEST(CompareReport, Csv) {
    golden::expect("compare_recorded.csv", compare_csv(recorded_sides()));
    golden::expect("compare_measured.csv", compare_csv(measured_sides()));
}

TEST(CompareReport, Json) {
    golden::expect("compare_recorded.json", compare_json(recorded_sides()));
    golden::expect("compare_measured.json", compare_json(measured_sides(), -1));
}

TEST(CompareReport, CellsReadTheSameEverywhere) {
    EXPECT_EQ(amount(1'500'000, "ns"), "0.001500");
    EXPECT_EQ(amount(1'234'567, ""), "1,234,567");
    EXPECT_EQ(amount(0.12345, "%"), "0.1235");
    EXPECT_EQ(amount(12'345.6, ""), "12,346");
    EXPECT_EQ(unit_text("ns"), " [s]");
    EXPECT_EQ(unit_text(""), "");
    EXPECT_TRUE(is_loud("DIFFERENT RESULTS: a"));
    EXPECT_FALSE(is_loud("a ran once"));
}

}  // namespace
}  // namespace ringside::report
