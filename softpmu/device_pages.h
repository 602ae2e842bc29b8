// Which devices a vCPU reaches, by page of its addresses. QEMU says at each access where it went,
// but cannot always be believed: while one vCPU changes the machine's map of devices, another one
// is answered with its old place in the new map, and to ask for the name of what is found there can
// crash QEMU 7.2. That lasts for one access; behind it the vCPU forgets its old places. So a page
// reaches what it reached before, until two accesses in a row agree on something else. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace ringside::softpmu {

class DevicePages {
  public:
    struct Reached {
        std::uint32_t device = 0;
        std::uint32_t reads = 0;  // this access, and those before it that had no device yet
        std::uint32_t writes = 0;
    };

    // An access to `address`, which lies at `physical` if QEMU is right. `ask` is called for the
    // device there when that is sure. Nothing is returned as long as nothing is.
    template <typename Ask>
    std::optional<Reached> reach(std::uint64_t address, std::uint64_t physical, bool is_write,
                                 Ask ask) {
        Page& page = page_of(address);
        ++(is_write ? page.pending.writes : page.pending.reads);
        const std::uint64_t place = physical - address;
        const bool again = page.last == place;
        page.last = place;
        if (again && (!page.is_known || page.place != place)) {
            page.is_known = true;
            page.place = place;
            page.pending.device = ask();
        }
        if (!page.is_known) return std::nullopt;
        const Reached reached = page.pending;
        page.pending = {reached.device, 0, 0};
        return reached;
    }

  private:
    static constexpr std::uint64_t page_bytes = 4096;
    static constexpr std::size_t most_pages = 4096;  // a guest may make up as many as it likes

    struct Page {
        std::optional<std::uint64_t> last;  // what QEMU said last
        std::uint64_t place = 0;            // what is believed, if something is
        bool is_known = false;
        Reached pending;
    };
    Page& page_of(std::uint64_t address) {
        const std::uint64_t number = address / page_bytes;
        if (const auto known = pages_.find(number); known != pages_.end()) return known->second;
        if (pages_.size() == most_pages) pages_.clear();
        return pages_[number];
    }

    std::unordered_map<std::uint64_t, Page> pages_;
};

}  // namespace ringside::softpmu
