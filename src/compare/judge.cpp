#include "compare/judge.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/time_parts.h"

namespace ringside::compare {

namespace {

using run::Per;
using run::Sampled;
using run::Side;

// Events that speak for themselves when they differ.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> telling = {{
    {"instructions", "instructions"},
    {"soft:instructions", "instructions (soft)"},
    {"page-faults", "page faults"},
    {"major-faults", "page faults that waited for a disk"},
    {"context-switches", "context switches"},
    {"cpu-migrations", "moves between CPUs"},
    {"dTLB-store-misses", "misses of the data TLB by stores"},
}};

const Row* find_row(const std::vector<Row>& rows, std::string_view event) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.event == event; });
    return found == rows.end() ? nullptr : &*found;
}

std::string sureness(const Ratio& ratio, std::size_t runs) {
    if (!ratio.ci_low || !ratio.significant)
        return "how sure that is cannot be said of so few runs";
    return fmt::format(
        "95 %: {:.3g} to {:.3g}; {}", *ratio.ci_low, *ratio.ci_high,
        *ratio.significant ? "sure" : fmt::format("may be chance over {} runs", runs));
}

// Times are read in seconds.
std::string amounts(double after, double before, const std::string& unit) {
    if (unit == "ns") return fmt::format("{:.4g} against {:.4g} s", after / 1e9, before / 1e9);
    return fmt::format("{:.4g} against {:.4g}{}{}", after, before, unit.empty() ? "" : " ", unit);
}

class Judge {
  public:
    Judge(const std::vector<Side>& sides, const Comparison& comparison, std::size_t side)
        : sides_(sides), comparison_(comparison), side_(side) {}

    std::vector<Finding> findings() {
        say_total();
        say_causes();
        say_exits();
        say_work();
        say_events();
        say_modes();
        say_functions();
        return std::move(findings_);
    }

  private:
    const std::string& first() const { return sides_.front().name; }
    const std::string& name() const { return sides_[side_].name; }
    std::size_t runs() const {
        return std::min(sides_.front().runs.size(), sides_[side_].runs.size());
    }
    std::optional<double> difference(const Row& row) const {
        const auto before = row.cells.front().mean();
        const auto after = row.cells[side_].mean();
        if (!before || !after) return std::nullopt;
        return *after - *before;
    }
    void add(std::string cause, std::string text, std::optional<double> share,
             std::optional<bool> sure) {
        findings_.push_back({name(), std::move(cause), std::move(text), share, sure});
    }

    void say_total();
    void say_causes();
    void say_exits();
    void say_work();
    void say_events();
    void say_modes();
    void say_functions();

    const std::vector<Side>& sides_;
    const Comparison& comparison_;
    std::size_t side_;
    std::vector<Finding> findings_;
};

void Judge::say_total() {
    if (comparison_.per != Per::run) return;
    const Row* wall = find_row(comparison_.events, "time.wall");
    if (wall == nullptr) return;
    const Ratio& ratio = wall->ratios[side_];
    if (!ratio.ratio) return;
    const std::string how = sureness(ratio, runs());
    if (ratio.significant == std::optional(false)) {
        add("time",
            fmt::format("no difference in time between {} and {} can be told from chance ({:.3g} "
                        "times; {})",
                        name(), first(), *ratio.ratio, how),
            std::nullopt, false);
        return;
    }
    add("time",
        fmt::format("{} takes {:.3g} times as long as {} ({})", name(), *ratio.ratio, first(), how),
        std::nullopt, ratio.significant);
}

// The parts of the time that all threads lived add up to it, so their differences do, too.
void Judge::say_causes() {
    if (comparison_.per != Per::run) return;
    const Row* lived = find_row(comparison_.events, "time.lifetime");
    if (lived == nullptr) return;
    const auto whole = difference(*lived);
    if (!whole || *whole == 0 || lived->ratios[side_].significant == std::optional(false)) return;
    constexpr double worth_saying = 0.03;
    std::vector<Finding> parts;
    for (const TimePart& cause : time_parts) {
        const Row* row = find_row(comparison_.events, cause.event);
        const auto part = row == nullptr ? std::nullopt : difference(*row);
        if (!part || std::abs(*part / *whole) < worth_saying) continue;
        const auto sure = row->ratios[side_].significant;
        parts.push_back({name(), std::string(cause.name),
                         fmt::format("{:.0f} % of the difference is {} ({:+.3f} s a run{})",
                                     100 * *part / *whole, cause.words, *part / 1e9,
                                     !sure   ? ""
                                     : *sure ? "; sure"
                                             : "; may be chance"),
                         *part / *whole, sure});
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Finding& a, const Finding& b) {
        return std::abs(*a.share) > std::abs(*b.share);
    });
    std::move(parts.begin(), parts.end(), std::back_inserter(findings_));
}

// What the host did for the guest lies within the guest's own times: a share of the difference, and
// no part beside the others.
void Judge::say_exits() {
    const auto& exits = sides_[side_].exits;
    if (!exits || comparison_.per != Per::run) return;
    std::vector<std::string> most;
    for (const auto& reason : exits->reasons) {
        if (most.size() == 3 || reason.time_ns <= 0) break;
        most.push_back(fmt::format("{} {:.3f} s", reason.name, reason.time_ns / 1e9));
    }
    const Row* lived = find_row(comparison_.events, "time.lifetime");
    const auto whole = lived == nullptr ? std::nullopt : difference(*lived);
    const bool differs = whole && *whole > 0 && lived->ratios[side_].significant == true;
    const auto share = differs ? std::optional(exits->time_ns / *whole) : std::nullopt;
    add("exits",
        fmt::format("{} left its guest {:.0f} times for {:.3f} s in a run of its own{}{}{}", name(),
                    exits->count, exits->time_ns / 1e9,
                    share ? fmt::format(": {:.0f} % of the difference", 100 * *share) : "",
                    most.empty() ? "" : "; most of it for ", fmt::join(most, ", ")),
        share, {});
}

// Whether the program itself does more on one side, or the same in more time.
void Judge::say_work() {
    constexpr double same = 0.001;
    for (const auto* event : {"instructions", "soft:instructions"}) {
        const Row* row = find_row(comparison_.events, event);
        const auto more = row == nullptr ? std::nullopt : difference(*row);
        if (!more || comparison_.per != Per::run) continue;
        const double before = *row->cells.front().mean();
        if (before <= 0 || std::abs(*more) > same * before) continue;
        add("work",
            fmt::format("{} and {} execute the same number of instructions ({}; {:.4g} more of "
                        "{:.4g}): what differs is how long they take",
                        name(), first(), event, *more, before),
            {}, {});
    }
}

void Judge::say_events() {
    for (const auto& [event, words] : telling) {
        const Row* row = find_row(comparison_.events, event);
        if (row == nullptr) continue;
        const Ratio& ratio = row->ratios[side_];
        const auto more = difference(*row);
        const bool once = counted_once(event);
        if (!more || (!once && ratio.significant != std::optional(true))) continue;
        const auto values = fmt::format("{:.4g} against {:.4g}", *row->cells[side_].mean(),
                                        *row->cells.front().mean());
        if (!ratio.ratio) {
            if (*more == 0) continue;
            add(std::string(event), fmt::format("{}: {}{}", words, values, once ? "" : " (sure)"),
                {}, ratio.significant);
        } else if (std::abs(*ratio.ratio - 1) > 0.05) {
            add(std::string(event),
                fmt::format("{:.3g} times the {} ({}; {})", *ratio.ratio, words, values,
                            once ? "counted once" : sureness(ratio, runs())),
                {}, ratio.significant);
        }
    }
}

// How much of each sampled event fell into the kernel.
void Judge::say_modes() {
    for (const Sampled& sampled : sides_.front().runs.front().sampled) {
        const std::string event = joined_event(sampled.event);
        if (is_soft(event)) continue;  // of a program alone: nobody looked into the kernel
        std::array<double, 2> kernel{};
        std::array<double, 2> whole{};
        for (const auto* rows : {&comparison_.functions, &comparison_.unresolved}) {
            for (const Row& row : *rows) {
                if (row.event != event) continue;
                for (const std::size_t i : {0, 1}) {
                    const double value = row.cells[i == 0 ? 0 : side_].mean().value_or(0);
                    whole[i] += value;
                    if (row.in_kernel) kernel[i] += value;
                }
            }
        }
        if (whole[0] <= 0 || whole[1] <= 0) continue;
        add("mode",
            fmt::format("{:.1f} % of {} falls into the kernel on {}, {:.1f} % on {}",
                        100 * kernel[1] / whole[1], event, name(), 100 * kernel[0] / whole[0],
                        first()),
            {}, {});
    }
}

// The function that changed most, of each event: for sure or, where there was one run, at all.
void Judge::say_functions() {
    std::vector<const Row*> most;
    for (const Row& row : comparison_.functions) {
        const auto change = difference(row);
        if (!change || *change == 0) continue;
        if (runs() > 1 && row.ratios[side_].significant != std::optional(true)) continue;
        const auto found = std::find_if(
            most.begin(), most.end(), [&](const Row* other) { return other->event == row.event; });
        if (found == most.end()) {
            most.push_back(&row);
        } else if (std::abs(*change) > std::abs(*difference(**found))) {
            *found = &row;
        }
    }
    for (const Row* row : most) {
        const Ratio& ratio = row->ratios[side_];
        add("function",
            fmt::format("of the functions, {} ({}) changes most in {}: {}{}", row->symbol,
                        row->module, row->event,
                        amounts(*row->cells[side_].mean(), *row->cells.front().mean(), row->unit),
                        ratio.significant ? " (sure)" : ""),
            {}, ratio.significant);
    }
}

}  // namespace

std::vector<Finding> judge(const std::vector<Side>& sides, const Comparison& comparison) {
    std::vector<Finding> all;
    for (std::size_t i = 1; i < sides.size(); ++i) {
        auto own = Judge(sides, comparison, i).findings();
        std::move(own.begin(), own.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace ringside::compare
