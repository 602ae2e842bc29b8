#include "kvm_stat/account.h"

#include <algorithm>

namespace ringside::kvm_stat {

Unpaired& Unpaired::operator+=(const Unpaired& other) {
    before_first_entry += other.before_first_entry;
    open_at_end += other.open_at_end;
    exits_without_entry += other.exits_without_entry;
    entries_without_exit += other.entries_without_exit;
    out_of_order += other.out_of_order;
    return *this;
}

void Account::take(const Passage& passage) {
    const auto [found, fresh] = by_thread_.try_emplace(passage.tid, vcpus_.size());
    if (fresh) {
        vcpus_.emplace_back();
        vcpus_.back().stats.tid = passage.tid;
    }
    Vcpu& vcpu = vcpus_[found->second];
    vcpu.stats.pid = passage.pid;
    if (passage.vcpu) vcpu.stats.vcpu = passage.vcpu;
    if (passage.direction == Direction::entry)
        enter(vcpu, passage.time_ns);
    else
        leave(vcpu, passage);
}

void Account::enter(Vcpu& vcpu, std::uint64_t time_ns) {
    VcpuStats& stats = vcpu.stats;
    if (vcpu.out_since_ns && time_ns < *vcpu.out_since_ns)
        ++stats.unpaired.out_of_order;
    else if (vcpu.out_since_ns)
        stats.reasons[vcpu.out_for].add(time_ns - *vcpu.out_since_ns);
    else if (vcpu.entered)
        ++stats.unpaired.entries_without_exit;
    vcpu.entered = true;
    vcpu.out_since_ns.reset();
    vcpu.inside_since_ns = time_ns;
}

void Account::leave(Vcpu& vcpu, const Passage& passage) {
    VcpuStats& stats = vcpu.stats;
    if (!vcpu.entered) {
        ++stats.unpaired.before_first_entry;
        return;
    }
    if (vcpu.out_since_ns) ++stats.unpaired.exits_without_entry;
    if (vcpu.inside_since_ns && passage.time_ns >= *vcpu.inside_since_ns)
        stats.guest_ns += passage.time_ns - *vcpu.inside_since_ns;
    vcpu.inside_since_ns.reset();
    vcpu.out_since_ns = passage.time_ns;
    vcpu.out_for = passage.reason;
}

std::vector<VcpuStats> Account::stats() const {
    std::vector<VcpuStats> all;
    for (const auto& vcpu : vcpus_) {
        all.push_back(vcpu.stats);
        if (vcpu.out_since_ns) ++all.back().unpaired.open_at_end;
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.pid < b.pid; });
    return all;
}

void Account::begin_interval() {
    for (auto& vcpu : vcpus_) {
        VcpuStats fresh;
        fresh.pid = vcpu.stats.pid;
        fresh.tid = vcpu.stats.tid;
        fresh.vcpu = vcpu.stats.vcpu;
        vcpu.stats = std::move(fresh);
    }
}

}  // namespace ringside::kvm_stat
