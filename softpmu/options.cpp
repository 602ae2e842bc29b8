#include "softpmu/options.h"

#include <algorithm>
#include <charconv>

#include "abi/soft_counts.h"
#include "soft/emulator.h"

namespace ringside::softpmu {

namespace {

// Primes: no loop keeps step with them.
constexpr std::uint64_t default_period = 1'000'003;
constexpr std::uint64_t default_profile_period = 100'003;

constexpr std::uint64_t most_ram_mb = std::uint64_t{1} << 24;

bool parse_switch(std::string_view value, bool& into) {
    into = value == "on";
    return into || value == "off";
}

bool parse_number(std::string_view value, std::uint64_t& into) {
    const auto end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, into);
    return error == std::errc() && rest == end && into > 0;
}

bool parse_mode(std::string_view value, PluginOptions& options) {
    options.hot = value == "hot";
    const bool full = value == "full";
    if (full) options.branches = options.memory = options.predictor = options.caches = true;
    options.profile = value == "profile";
    if (value == "sample" && options.period == 0) options.period = default_period;
    if (options.profile && options.period == 0) options.period = default_profile_period;
    return options.hot || full || options.profile || value == "sample" || value == "count";
}

}  // namespace

std::string PluginOptions::read(std::span<char* const> words) {
    for (const std::string_view word : words) {
        const auto split = word.find('=');
        const auto name = word.substr(0, split);
        const auto value = split == std::string_view::npos ? "" : word.substr(split + 1);
        bool good = false;
        if (name == "folder") {
            folder = value;
            good = !folder.empty();
        } else if (name == "mode") {
            good = parse_mode(value, *this);
        } else if (name == "period") {
            good = parse_number(value, period);
        } else if (name == "sampled") {
            good = parse_number(value, sampled) && sampled < SOFT_COUNTERS;
        } else if (name == "guest") {
            good = parse_number(value, guest_socket);
        } else if (name == "device_period") {
            good = parse_number(value, device_period_ns);
        } else if (name == "ram") {
            good = parse_number(value, ram_mb) && ram_mb <= most_ram_mb;
        } else if (name == "start") {
            good = value == "on" || value == "off";
            starts_off = value == "off";
        } else if (name == "branches") {
            good = parse_switch(value, branches);
        } else if (name == "memory") {
            good = parse_switch(value, memory);
        } else if (name == "predictor") {
            good = parse_switch(value, predictor);
        } else if (name == "caches") {
            good = parse_switch(value, caches);
        }
        if (!good) return "not an option: " + std::string(word);
    }
    if (folder.empty()) return "folder=PATH is missing";
    if (sampled != 0 && period == 0) return "sampled=N needs period=N";
    // To be sampled, or shown to a guest, they must be counted.
    const bool samples_branches = sampled == SOFT_BRANCHES || sampled == SOFT_TAKEN_BRANCHES;
    if (samples_branches || guest_socket != 0) branches = true;
    const bool more = sampled != 0 || memory || caches || guest_socket != 0;
    if (profile && more) {
        return "mode=profile samples instructions and times devices, and nothing else";
    }
    if (profile && device_period_ns == 0) device_period_ns = std::max<std::uint64_t>(period / 2, 1);
    return "";
}

bool PluginOptions::samples_blocks() const {
    const bool at_accesses = sampled >= SOFT_LOADS && sampled != SOFT_BRANCH_MISS_MODEL;
    return period != 0 && !at_accesses;
}

std::uint64_t PluginOptions::counters(bool whole_machine) const {
    if (hot) return 0;
    const auto bits = [](std::initializer_list<soft_counter> counters) {
        std::uint64_t mask = 0;
        for (const auto counter : counters) mask |= std::uint64_t{1} << counter;
        return mask;
    };
    std::uint64_t mask = bits({SOFT_INSTRUCTIONS});
    if (follows_branches()) mask |= bits({SOFT_BRANCHES, SOFT_TAKEN_BRANCHES});
    if (whole_machine) mask |= bits({SOFT_KERNEL_INSTRUCTIONS});
    if (memory || caches) mask |= bits({SOFT_LOADS, SOFT_STORES});
    if ((memory || profile) && whole_machine) mask |= bits({SOFT_IO});
    if (predictor) mask |= bits({SOFT_BRANCH_MISS_MODEL});
    if (caches) {
        mask |= bits({SOFT_L1D_MISS_MODEL, SOFT_L2_MISS_MODEL, SOFT_DTLB_LOAD_MISS_MODEL,
                      SOFT_DTLB_STORE_MISS_MODEL});
    }
    return mask;
}

std::string plugin_argument(std::string_view plugin, std::span<char* const> words) {
    std::string argument = soft::option_text(plugin);
    for (const std::string_view word : words) argument += "," + soft::option_text(word);
    return argument;
}

}  // namespace ringside::softpmu
