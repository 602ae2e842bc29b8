#include "vpmu/filter.h"

namespace ringside::vpmu {

bool Filter::deny(const FilterEntry* entries, std::size_t count, std::uint32_t fixed_bitmap) {
    return set(Action::deny, entries, count, fixed_bitmap);
}

bool Filter::allow(const FilterEntry* entries, std::size_t count, std::uint32_t fixed_bitmap) {
    return set(Action::allow, entries, count, fixed_bitmap);
}

bool Filter::set(Action action, const FilterEntry* entries, std::size_t count,
                 std::uint32_t fixed) {
    if (count > max_entries) return false;
    for (std::size_t i = 0; i < count; ++i) entries_[i] = entries[i];
    count_ = count;
    action_ = action;
    fixed_bitmap_ = fixed;
    ++generation_;
    return true;
}

bool Filter::lists(const Event& event) const {
    bool included = false;
    for (std::size_t i = 0; i < count_; ++i) {
        const FilterEntry& entry = entries_[i];
        if (entry.select != event.select) continue;
        if ((event.umask & entry.umask_mask) != entry.umask_match) continue;
        if (entry.excludes) return false;
        included = true;
    }
    return included;
}

bool Filter::permits(const Event& event) const {
    return lists(event) == (action_ == Action::allow);
}

bool Filter::permits_fixed(unsigned index) const {
    const bool listed = (fixed_bitmap_ >> index & 1) != 0;
    return listed == (action_ == Action::allow);
}

}  // namespace ringside::vpmu
