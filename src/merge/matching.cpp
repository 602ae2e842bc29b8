#include "merge/matching.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/error.h"

namespace ringside::merge {

namespace {

constexpr std::uint64_t fewest_samples = 20;

class Matching {
  public:
    Matching(const HostView& host, const GuestView& guest,
             const std::map<std::uint32_t, KnownClock>& known, const Wanted& wanted)
        : host_(host), guest_(guest), known_(known), wanted_(wanted) {}

    // All that comes into question, the best first.
    std::vector<Match> run() {
        std::set<std::uint32_t> pids;
        for (const auto& thread : host_.threads) pids.insert(thread.pid);
        for (const auto pid : pids)
            if (!wanted_.pid || *wanted_.pid == pid) try_machine(pid);
        std::stable_sort(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) {
            return a.fit.agreement.inside > b.fit.agreement.inside;
        });
        return std::move(matches_);
    }

  private:
    Window window() const { return {host_.first_ns, host_.last_ns}; }

    CpuPair pair(std::size_t cpu, std::size_t thread) const {
        return {guest_.cpus[cpu].times_ns, host_.threads[thread].runs};
    }

    void try_machine(std::uint32_t pid) {
        std::vector<std::size_t> threads;
        for (std::size_t i = 0; i < host_.threads.size(); ++i)
            if (host_.threads[i].pid == pid) threads.push_back(i);
        if (threads.size() < guest_.cpus.size()) return;
        Match match;
        match.pid = pid;
        if (wanted_.offset_ns) {
            match.source = ClockSource::given;
            const ClockMap map{0, static_cast<std::uint64_t>(*wanted_.offset_ns), 1};
            try_map(std::move(match), threads, {map, 0, {}});
            return;
        }
        const auto known = known_.find(pid);
        if (known != known_.end() && !wanted_.only_runs) {
            Match by_counter = match;
            by_counter.source = ClockSource::counter;
            const Fit fit{known->second.map, known->second.uncertainty_ns, {}};
            if (try_map(by_counter, threads, fit)) return;
        }
        try_runs(std::move(match), threads);
    }

    // The clock is known: what is left is who is who. False if it cannot be right.
    bool try_map(Match match, const std::vector<std::size_t>& threads, const Fit& fit) {
        match.fit = fit;
        if (!by_number(threads, match)) by_agreement(threads, fit.map, match);
        match.fit.agreement = agreement(fit.map, pairs_of(host_, guest_, match), window());
        const auto& found = match.fit.agreement;
        const bool right = found.inside > 4 * found.outside;
        if (right || match.source == ClockSource::given) matches_.push_back(std::move(match));
        return right;
    }

    void try_runs(Match match, const std::vector<std::size_t>& threads) {
        if (by_number(threads, match)) {
            auto fits = fit_to_runs(pairs_of(host_, guest_, match), window());
            const bool good =
                !fits.empty() && fits.front().agreement.inside > 4 * fits.front().agreement.outside;
            add_all(match, fits);
            if (good) return;
        }
        match_one_by_one(match, threads);
    }

    // Nothing names the vCPUs, or the names do not fit: the busiest CPU is laid over each thread,
    // and where it fits the others find their places.
    void match_one_by_one(const Match& match, const std::vector<std::size_t>& threads) {
        const auto busiest = static_cast<std::size_t>(
            std::max_element(guest_.cpus.begin(), guest_.cpus.end(),
                             [](const GuestCpu& a, const GuestCpu& b) {
                                 return a.times_ns.size() < b.times_ns.size();
                             }) -
            guest_.cpus.begin());
        for (const auto thread : threads) {
            const CpuPair alone = pair(busiest, thread);
            for (const auto& fit : fit_to_runs({&alone, 1}, window())) {
                Match found = match;
                by_agreement(threads, fit.map, found);
                if (found.threads[busiest] != thread) continue;
                const auto again = fit_to_runs(pairs_of(host_, guest_, found), window());
                if (!again.empty()) add_all(found, {again.front()});
            }
        }
    }

    void add_all(const Match& match, const std::vector<Fit>& fits) {
        for (const auto& fit : fits) {
            const bool known = std::any_of(matches_.begin(), matches_.end(), [&](const Match& m) {
                return m.threads == match.threads && same_clock(m.fit, fit);
            });
            if (known) continue;
            matches_.push_back(match);
            matches_.back().fit = fit;
        }
    }

    // Two ways that led to one answer.
    bool same_clock(const Fit& a, const Fit& b) const {
        const std::uint64_t middle = guest_.first_ns + (guest_.last_ns - guest_.first_ns) / 2;
        const auto apart = static_cast<double>(
            static_cast<std::int64_t>(a.map.to_host(middle) - b.map.to_host(middle)));
        return std::abs(apart) <= a.uncertainty_ns + b.uncertainty_ns;
    }

    // Guests number their CPUs as KVM does, and nearly always in the same order.
    bool by_number(const std::vector<std::size_t>& threads, Match& match) const {
        match.threads.clear();
        for (const auto& cpu : guest_.cpus) {
            const auto found = std::find_if(
                threads.begin(), threads.end(),
                [&](std::size_t thread) { return host_.threads[thread].vcpu == cpu.cpu; });
            if (found == threads.end()) return false;
            match.threads.push_back(*found);
        }
        match.vcpus_matched = false;
        return true;
    }

    // Each CPU, the busiest first, gets the thread that it contradicts least.
    void by_agreement(const std::vector<std::size_t>& threads, const ClockMap& map,
                      Match& match) const {
        std::vector<std::size_t> order(guest_.cpus.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return guest_.cpus[a].times_ns.size() > guest_.cpus[b].times_ns.size();
        });
        std::vector<std::size_t> left = threads;
        match.threads.assign(guest_.cpus.size(), 0);
        match.vcpus_matched = true;
        for (const auto cpu : order) {
            const auto inside = [&](std::size_t thread) {
                return agreement(map, pair(cpu, thread), window()).inside;
            };
            const auto best = std::max_element(
                left.begin(), left.end(),
                [&](std::size_t a, std::size_t b) { return inside(a) < inside(b); });
            match.threads[cpu] = *best;
            left.erase(best);
        }
    }

    const HostView& host_;
    const GuestView& guest_;
    const std::map<std::uint32_t, KnownClock>& known_;
    const Wanted& wanted_;
    std::vector<Match> matches_;
};

Error none_fits(const GuestView& guest, const Wanted& wanted, const std::string& path) {
    const std::string where =
        wanted.pid ? fmt::format("the machine of process {}", *wanted.pid) : "no machine";
    return base::fail(
        ErrorCode::bad_input,
        fmt::format("{}: {} in the host's recording ran {} CPUs", path, where, guest.cpus.size()),
        "is the host's recording the first file, and did it run while the guest was recorded?");
}

Error contradicted(const Match& best, const std::string& path) {
    const auto& found = best.fit.agreement;
    return base::fail(
        ErrorCode::bad_input,
        fmt::format("{}: no clock puts its samples where the host saw vCPUs run: at best {} of {} "
                    "fall there",
                    path, found.inside, found.inside + found.outside + found.beyond),
        "the recordings do not belong together, or the host's does not cover the guest's");
}

Error ambiguous(const Match& best, const Match& other, std::uint64_t samples,
                const std::string& path) {
    const auto offset = [](const Match& match) {
        return static_cast<double>(
                   static_cast<std::int64_t>(match.fit.map.host_ns - match.fit.map.guest_ns)) /
               1e9;
    };
    return base::fail(
        ErrorCode::bad_input,
        fmt::format("{}: its clock is ambiguous: {} of {} samples agree with VM {} and an offset "
                    "of {:.6f} s, {} with VM {} and {:.6f} s",
                    path, best.fit.agreement.inside, samples, best.pid, offset(best),
                    other.fit.agreement.inside, other.pid, offset(other)),
        "record longer, or a guest that also sleeps; or say --vm NAME=PID or --offset NAME=NS");
}

}  // namespace

std::string_view to_string(ClockSource source) {
    switch (source) {
        case ClockSource::counter:
            return "counter";
        case ClockSource::runs:
            return "runs";
        case ClockSource::given:
            return "given";
    }
    return "";
}

std::vector<CpuPair> pairs_of(const HostView& host, const GuestView& guest, const Match& match) {
    std::vector<CpuPair> pairs;
    for (std::size_t i = 0; i < match.threads.size(); ++i)
        pairs.push_back({guest.cpus[i].times_ns, host.threads[match.threads[i]].runs});
    return pairs;
}

Result<Match> match_guest(const HostView& host, const GuestView& guest,
                          const std::map<std::uint32_t, KnownClock>& known, const Wanted& wanted,
                          const std::string& path) {
    auto matches = Matching(host, guest, known, wanted).run();
    if (matches.empty()) return none_fits(guest, wanted, path);
    Match& best = matches.front();
    if (best.source == ClockSource::given) return std::move(best);
    const std::uint64_t samples = guest.samples();
    if (best.source == ClockSource::runs && samples < fewest_samples)
        return base::fail(
            ErrorCode::bad_input,
            fmt::format("{}: {} samples are too few to find its clock by", path, samples),
            "record longer, or give --offset NAME=NS");
    const auto& found = best.fit.agreement;
    if (found.inside * 2 < samples || found.inside < 4 * found.outside)
        return contradicted(best, path);
    if (best.source == ClockSource::runs && best.fit.uncertainty_ns >= widest_search_ns / 2)
        return base::fail(
            ErrorCode::bad_input,
            fmt::format("{}: its clock is ambiguous: it can be moved by {:.1f} ms and its samples "
                        "still lie where vCPUs ran",
                        path, best.fit.uncertainty_ns / 1e6),
            "record a guest that also sleeps, or longer; or give --offset NAME=NS");
    if (matches.size() > 1 && as_good_as(found, matches[1].fit.agreement))
        return ambiguous(best, matches[1], samples, path);
    const bool disbelieved =
        best.source == ClockSource::runs && !wanted.only_runs && known.count(best.pid) != 0;
    if (disbelieved)
        best.notes.push_back(
            "the counters' offset would put most samples where no vCPU ran: not used");
    return std::move(best);
}

}  // namespace ringside::merge
