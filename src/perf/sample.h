// A sample as the kernel writes it, decoded by the attributes of its event. Pure; spans point into
// the record and live as long as its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <linux/perf_event.h>

#include "base/field_cursor.h"

namespace ringside::perf {

using base::ByteOrder;
using base::FieldCursor;
using base::swap_bytes;

// Which world the sampled instruction belonged to (PERF_RECORD_MISC_CPUMODE_MASK).
enum class CpuMode : std::uint8_t { unknown, kernel, user, hypervisor, guest_kernel, guest_user };
CpuMode cpu_mode(std::uint16_t misc);
// "user", "kernel", "guest_user", "guest_kernel", "hypervisor", "unknown". Static storage.
std::string_view to_string(CpuMode mode);

// Call chains hold addresses, and marks at the places where the world changes.
constexpr std::uint64_t first_chain_mark = static_cast<std::uint64_t>(PERF_CONTEXT_MAX);
inline bool is_chain_mark(std::uint64_t address) {
    return address >= first_chain_mark;
}
CpuMode mode_after_mark(std::uint64_t mark);

// Numbers in a record that are not copied but read one by one, in the file's byte order.
class WordSpan {
  public:
    WordSpan() = default;
    WordSpan(std::span<const std::byte> bytes, ByteOrder order) : bytes_(bytes), order_(order) {}

    std::size_t size() const { return bytes_.size() / sizeof(std::uint64_t); }
    bool empty() const { return bytes_.empty(); }
    std::span<const std::byte> bytes() const { return bytes_; }
    std::uint64_t operator[](std::size_t index) const {
        std::uint64_t value;
        std::memcpy(&value, bytes_.data() + index * sizeof value, sizeof value);
        return order_ == ByteOrder::same ? value : swap_bytes(value);
    }

  private:
    std::span<const std::byte> bytes_;
    ByteOrder order_ = ByteOrder::same;
};

struct FullSample {
    std::uint64_t id = 0;  // of the event, if the sample says
    std::uint64_t ip = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t address = 0;
    std::uint32_t cpu = 0;
    std::uint64_t period = 1;
    CpuMode mode = CpuMode::unknown;
    WordSpan chain;                         // innermost first, with marks
    std::span<const std::byte> raw;         // a tracepoint's fields
    WordSpan branches;                      // three words each: from, to, flags
    std::uint64_t user_regs_abi = 0;        // 0: none, 1: 32-bit, 2: 64-bit
    std::uint64_t user_regs_mask = 0;       // sample_regs_user of the event
    WordSpan user_regs;                     // by the bits of the mask, lowest first
    std::span<const std::byte> user_stack;  // as much as was really copied
    ByteOrder user_stack_order = ByteOrder::same;
    std::uint64_t cgroup = 0;
    // The VMM's pid, if the guest took the sample itself: pid and tid are the guest's then. Not in
    // the sample, but known by its id (DataFile::guest_of).
    std::uint32_t machine = 0;
};

// What is needed of a perf_event_attr to decode its records.
struct SampleLayout {
    std::uint64_t sample_type = 0;
    std::uint64_t read_format = 0;
    std::uint64_t branch_sample_type = 0;
    std::uint64_t user_regs_mask = 0;
    std::uint64_t intr_regs_mask = 0;
    std::uint64_t period = 1;  // the event's own, for samples that do not carry one
    bool sample_id_all = false;

    SampleLayout() = default;
    explicit SampleLayout(const perf_event_attr& attributes);
    // Where the event's id stands in a sample of this layout: bytes from the beginning of its body.
    std::optional<std::size_t> id_offset() const;
    // The same for the other records: bytes from their end.
    std::optional<std::size_t> id_offset_from_end() const;
};

// nullopt if the body is shorter than the layout says.
std::optional<FullSample> decode_full_sample(std::span<const std::byte> body, std::uint16_t misc,
                                             const SampleLayout& layout, ByteOrder order);

// The who and when at the end of every other record (sample_id_all). nullopt if there is none.
struct RecordId {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;
    std::uint32_t cpu = 0;
};
std::optional<RecordId> decode_record_id(std::span<const std::byte> body,
                                         const SampleLayout& layout, ByteOrder order);

}  // namespace ringside::perf
