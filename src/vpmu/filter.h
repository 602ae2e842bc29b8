// Which events a virtual machine may count: an allow or a deny list with masked unit masks, and a
// bitmap for the fixed counters, with the semantics of KVM_SET_PMU_EVENT_FILTER.
#pragma once

#include "vpmu/state.h"

namespace ringside::vpmu {

// Matches an event select whose unit mask, under `umask_mask`, is `umask_match`. An excluding
// entry takes back what an including one of the same list matched.
struct FilterEntry {
    std::uint16_t select = 0;
    std::uint8_t umask_mask = 0;
    std::uint8_t umask_match = 0;
    bool excludes = false;
};

class Filter {
  public:
    enum class Action : std::uint8_t { deny, allow };
    static constexpr std::size_t max_entries = 300;  // KVM_PMU_EVENT_FILTER_MAX_EVENTS

    // Denies nothing.
    constexpr Filter() = default;

    // Both replace the list. False, and no change, if it is too long.
    bool deny(const FilterEntry* entries, std::size_t count, std::uint32_t fixed_bitmap = 0);
    bool allow(const FilterEntry* entries, std::size_t count, std::uint32_t fixed_bitmap = 0);

    bool permits(const Event& event) const;
    bool denies_nothing() const { return action_ == Action::deny && count_ == 0; }
    // `index` counts Intel's fixed counters from 0; the bitmap alone decides.
    bool permits_fixed(unsigned index) const;
    // Grows with every change, so that a vCPU notices before its next entry.
    std::uint32_t generation() const { return generation_; }

  private:
    bool set(Action action, const FilterEntry* entries, std::size_t count, std::uint32_t fixed);
    bool lists(const Event& event) const;

    FilterEntry entries_[max_entries] = {};
    std::size_t count_ = 0;
    std::uint32_t fixed_bitmap_ = 0;
    std::uint32_t generation_ = 0;
    Action action_ = Action::deny;
};

}  // namespace ringside::vpmu
