#include "compare/warnings.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/names.h"

namespace ringside::compare {

namespace {

using run::Environment;
using run::Hit;
using run::Measurement;
using run::Run;
using run::Sampled;
using run::Side;
using run::SideKind;
using Warnings = std::vector<std::string>;

// The exit code if all runs of a side agree.
std::set<int> exit_codes(const Side& side) {
    std::set<int> codes;
    for (const Run& run : side.runs) {
        if (run.exit_code) codes.insert(*run.exit_code);
    }
    return codes;
}

std::set<std::string> outputs(const Side& side) {
    std::set<std::string> digests;
    for (const Run& run : side.runs) {
        if (!run.output_digest.empty()) digests.insert(run.output_digest);
    }
    return digests;
}

std::string end_text(const std::set<int>& codes) {
    return fmt::format("ended with {}", fmt::join(codes, ", "));
}

void warn_of_results(const std::vector<Side>& sides, Warnings& warnings) {
    const Side& first = sides.front();
    for (const Side& side : sides) {
        const auto codes = exit_codes(side);
        if (codes.count(128 + SIGILL) > 0) {
            warnings.push_back(fmt::format(
                "{} WAS KILLED BY SIGILL: the program uses an instruction that the processor there "
                "({}) does not have; build it for a plainer one (no -march=native)",
                side.name, side.environment.cpu.empty() ? "unknown" : side.environment.cpu));
        } else if (&side == &first && codes.size() > 0 && codes != std::set<int>{0}) {
            warnings.push_back(
                fmt::format("the program failed: {} {}", side.name, end_text(codes)));
        }
        if (&side == &first) continue;
        const auto first_codes = exit_codes(first);
        if (!codes.empty() && !first_codes.empty() && codes != first_codes) {
            warnings.push_back(fmt::format("DIFFERENT RESULTS: {} {}, {} {}", first.name,
                                           end_text(first_codes), side.name, end_text(codes)));
        }
        const auto first_outputs = outputs(first);
        const auto own = outputs(side);
        if (first_outputs.size() > 1) continue;
        if (!own.empty() && !first_outputs.empty() && own != first_outputs) {
            warnings.push_back(fmt::format("DIFFERENT RESULTS: {} printed something else than {}",
                                           side.name, first.name));
        }
    }
    if (outputs(first).size() > 1) {
        warnings.push_back(fmt::format(
            "what {} printed changes from run to run, so outputs are not compared", first.name));
    }
}

double mean_of(const Side& side, std::string_view event) {
    double sum = 0;
    for (const Run& run : side.runs) {
        const Measurement* count = run.find(event);
        if (count == nullptr || !count->ok()) return 0;
        sum += count->value;
    }
    return sum / static_cast<double>(side.runs.size());
}

void warn_of_steal(const Side& side, Warnings& warnings) {
    constexpr double much = 0.01;
    const double lived = mean_of(side, "time.lifetime");
    const double stolen = mean_of(side, "time.stolen");
    if (lived <= 0 || stolen / lived <= much) return;
    warnings.push_back(fmt::format("{}: {:.1f} % of the time was stolen by the hypervisor below",
                                   side.name, 100 * stolen / lived));
}

void warn_of_losses(const Side& side, Warnings& warnings) {
    double lost = 0;
    double kept = 0;
    std::set<std::string> shared;
    for (const Run& run : side.runs) {
        for (const Sampled& sampled : run.sampled) {
            lost += sampled.lost;
            kept += sampled.samples;
        }
        for (const Measurement& count : run.counts) {
            if (count.ok() && count.running_ratio < 1) shared.insert(count.name);
        }
    }
    if (lost > 0) {
        warnings.push_back(
            fmt::format("{}: {:.0f} samples were lost, {:.0f} are there", side.name, lost, kept));
    }
    if (!shared.empty()) {
        warnings.push_back(fmt::format("{}: counted part of the time only, and scaled: {}",
                                       side.name, fmt::join(shared, ", ")));
    }
}

// Where timer interrupts come late, as in an emulated machine, one sample stands for what should
// have been several.
void warn_of_late_samples(const Side& side, Warnings& warnings) {
    constexpr double enough = 0.8;
    constexpr double worth_a_sample_ns = 50e6;  // in less time chance decides
    double sampled_ns = 0;
    double used_ns = 0;
    for (const Run& run : side.runs) {
        const Measurement* used = run.find("task-clock");
        if (used == nullptr || !used->ok()) return;
        used_ns += used->value;
        for (const Hit& hit : run.hits) {
            if (joined_event(hit.event) == "cpu-clock") sampled_ns += hit.value;
        }
    }
    if (sampled_ns <= 0 || used_ns < worth_a_sample_ns || sampled_ns / used_ns >= enough) return;
    warnings.push_back(fmt::format(
        "{}: samples stand for {:.0f} % of its CPU time, because they came late: the times of "
        "functions are too small there, their shares (--per share) are not",
        side.name, 100 * sampled_ns / used_ns));
}

void warn_of_kind(const Side& side, Warnings& warnings) {
    if (side.kind == SideKind::tcg) {
        warnings.push_back(fmt::format(
            "{} is emulated (TCG): its times measure the translation of instructions, not "
            "virtualization",
            side.name));
    }
    if (side.runs.size() == 1) {
        warnings.push_back(
            fmt::format("{} ran once: nothing is known of how it varies", side.name));
    }
}

std::string memory_text(double bytes) {
    return fmt::format("{:.1f} GB", bytes / 1e9);
}

void warn_of_machines(const Side& first, const Side& side, Warnings& warnings) {
    const auto differ = [&](std::string_view what, const std::string& a, const std::string& b) {
        if (a.empty() || b.empty() || a == b) return;
        warnings.push_back(
            fmt::format("{} and {} differ in {}: {} and {}", first.name, side.name, what, a, b));
    };
    const Environment& a = first.environment;
    const Environment& b = side.environment;
    differ("kernel", a.kernel, b.kernel);
    differ("processor", a.cpu, b.cpu);
    differ("clock source", a.clock_source, b.clock_source);
    if (a.cpus && b.cpus) {
        differ("number of CPUs", std::to_string(*a.cpus), std::to_string(*b.cpus));
    }
    if (a.memory_bytes && b.memory_bytes) {
        const double ratio = *a.memory_bytes / std::max(*b.memory_bytes, 1.0);
        if (ratio > 1.1 || ratio < 0.9) {
            differ("memory", memory_text(*a.memory_bytes), memory_text(*b.memory_bytes));
        }
    }
    if (a.cpu_hz && b.cpu_hz && std::abs(*a.cpu_hz / *b.cpu_hz - 1) > 0.02) {
        differ("frequency", fmt::format("{:.0f} MHz", *a.cpu_hz / 1e6),
               fmt::format("{:.0f} MHz", *b.cpu_hz / 1e6));
    }
    std::vector<std::string> builds;
    for (const auto& [module, id] : first.build_ids) {
        if (module.starts_with('[')) continue;  // a kernel's, and that was said
        const auto other = side.build_ids.find(module);
        if (other != side.build_ids.end() && other->second != id) builds.push_back(module);
    }
    if (!builds.empty()) {
        warnings.push_back(
            fmt::format("{} and {} ran other builds of {}: functions there are "
                        "joined by name alone",
                        first.name, side.name, fmt::join(builds, ", ")));
    }
}

}  // namespace

std::vector<std::string> find_warnings(const std::vector<Side>& sides) {
    Warnings warnings;
    if (sides.empty()) return warnings;
    warn_of_results(sides, warnings);
    for (const Side& side : sides) warn_of_kind(side, warnings);
    for (const Side& side : sides) warn_of_steal(side, warnings);
    for (const Side& side : sides) warn_of_losses(side, warnings);
    for (const Side& side : sides) warn_of_late_samples(side, warnings);
    for (std::size_t i = 1; i < sides.size(); ++i) {
        warn_of_machines(sides.front(), sides[i], warnings);
    }
    for (const Side& side : sides) {
        for (const auto& note : side.notes) {
            warnings.push_back(fmt::format("{}: {}", side.name, note));
        }
    }
    return warnings;
}

}  // namespace ringside::compare
