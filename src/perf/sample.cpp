#include "perf/sample.h"

namespace ringside::perf {

namespace {

constexpr std::size_t word = sizeof(std::uint64_t);

// What PERF_SAMPLE_READ holds: a value with what read_format adds, or a whole group.
void skip_read(FieldCursor& cursor, std::uint64_t format) {
    const auto with = [&](std::uint64_t bit) { return (format & bit) != 0 ? 1u : 0u; };
    const std::uint64_t times =
        with(PERF_FORMAT_TOTAL_TIME_ENABLED) + with(PERF_FORMAT_TOTAL_TIME_RUNNING);
    const std::uint64_t each = 1 + with(PERF_FORMAT_ID) + with(PERF_FORMAT_LOST);
    if ((format & PERF_FORMAT_GROUP) == 0) {
        cursor.skip((times + each) * word);
        return;
    }
    const std::uint64_t members = cursor.u64();
    if (members > cursor.remaining() / word) return cursor.skip(cursor.remaining() + 1);
    cursor.skip((times + members * each) * word);
}

WordSpan take_words(FieldCursor& cursor, std::uint64_t count) {
    // More words than bytes cannot be; the product below must not wrap.
    if (count > cursor.remaining()) count = cursor.remaining() + 1;
    return {cursor.take(count * word), cursor.order()};
}

void take_registers(FieldCursor& cursor, std::uint64_t mask, std::uint64_t& abi, WordSpan& words) {
    abi = cursor.u64();
    if (abi != 0) words = take_words(cursor, static_cast<unsigned>(std::popcount(mask)));
}

void take_branches(FieldCursor& cursor, const SampleLayout& layout, FullSample& sample) {
    const std::uint64_t count = cursor.u64();
    if ((layout.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0) cursor.skip(word);
    sample.branches = take_words(cursor, count > cursor.remaining() ? count : count * 3);
}

// The size that was asked for, that many bytes, and how many of them are real.
void take_user_stack(FieldCursor& cursor, FullSample& sample) {
    const std::uint64_t size = cursor.u64();
    if (size == 0) return;
    const auto bytes = cursor.take(size);
    const std::uint64_t real = cursor.u64();
    sample.user_stack_order = cursor.order();
    sample.user_stack =
        bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(real, bytes.size())));
}

// The fields behind the call chain, in the order of perf_event.h. Few samples have any.
void decode_rest(FieldCursor& cursor, const SampleLayout& layout, FullSample& sample) {
    const auto has = [&](std::uint64_t bit) { return (layout.sample_type & bit) != 0; };
    if (has(PERF_SAMPLE_RAW)) sample.raw = cursor.take(cursor.u32());
    // The raw part and its size fill whole words together.
    if (has(PERF_SAMPLE_RAW)) cursor.skip(cursor.remaining() % word);
    if (has(PERF_SAMPLE_BRANCH_STACK)) take_branches(cursor, layout, sample);
    sample.user_regs_mask = layout.user_regs_mask;
    if (has(PERF_SAMPLE_REGS_USER))
        take_registers(cursor, layout.user_regs_mask, sample.user_regs_abi, sample.user_regs);
    if (has(PERF_SAMPLE_STACK_USER)) take_user_stack(cursor, sample);
    if (has(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) cursor.skip(word);
    if (has(PERF_SAMPLE_DATA_SRC)) cursor.skip(word);
    if (has(PERF_SAMPLE_TRANSACTION)) cursor.skip(word);
    if (has(PERF_SAMPLE_REGS_INTR)) {
        std::uint64_t abi = 0;
        WordSpan words;
        take_registers(cursor, layout.intr_regs_mask, abi, words);
    }
    if (has(PERF_SAMPLE_PHYS_ADDR)) cursor.skip(word);
    if (has(PERF_SAMPLE_CGROUP)) sample.cgroup = cursor.u64();
}

constexpr std::uint64_t behind_the_chain =
    ~(std::uint64_t{PERF_SAMPLE_IDENTIFIER} | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
      PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN);

}  // namespace

CpuMode cpu_mode(std::uint16_t misc) {
    const auto mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    return mode <= PERF_RECORD_MISC_GUEST_USER ? static_cast<CpuMode>(mode) : CpuMode::unknown;
}

std::string_view to_string(CpuMode mode) {
    switch (mode) {
        case CpuMode::kernel:
            return "kernel";
        case CpuMode::user:
            return "user";
        case CpuMode::hypervisor:
            return "hypervisor";
        case CpuMode::guest_kernel:
            return "guest_kernel";
        case CpuMode::guest_user:
            return "guest_user";
        case CpuMode::unknown:
            break;
    }
    return "unknown";
}

CpuMode mode_after_mark(std::uint64_t mark) {
    switch (mark) {
        case PERF_CONTEXT_HV:
            return CpuMode::hypervisor;
        case PERF_CONTEXT_KERNEL:
            return CpuMode::kernel;
        case PERF_CONTEXT_USER:
            return CpuMode::user;
        case PERF_CONTEXT_GUEST:
        case PERF_CONTEXT_GUEST_KERNEL:
            return CpuMode::guest_kernel;
        case PERF_CONTEXT_GUEST_USER:
            return CpuMode::guest_user;
        default:
            return CpuMode::unknown;
    }
}

SampleLayout::SampleLayout(const perf_event_attr& attributes)
    : sample_type(attributes.sample_type),
      read_format(attributes.read_format),
      branch_sample_type(attributes.branch_sample_type),
      user_regs_mask(attributes.sample_regs_user),
      intr_regs_mask(attributes.sample_regs_intr),
      period(attributes.freq != 0 || attributes.sample_period == 0 ? 1 : attributes.sample_period),
      sample_id_all(attributes.sample_id_all != 0) {}

std::optional<std::size_t> SampleLayout::id_offset() const {
    if ((sample_type & PERF_SAMPLE_IDENTIFIER) != 0) return 0;
    if ((sample_type & PERF_SAMPLE_ID) == 0) return std::nullopt;
    const std::uint64_t before =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    return static_cast<std::size_t>(std::popcount(sample_type & before)) * word;
}

std::optional<std::size_t> SampleLayout::id_offset_from_end() const {
    if (!sample_id_all) return std::nullopt;
    if ((sample_type & PERF_SAMPLE_IDENTIFIER) != 0) return word;
    if ((sample_type & PERF_SAMPLE_ID) == 0) return std::nullopt;
    const std::uint64_t after = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
    return (1 + static_cast<std::size_t>(std::popcount(sample_type & after))) * word;
}

std::optional<FullSample> decode_full_sample(std::span<const std::byte> body, std::uint16_t misc,
                                             const SampleLayout& layout, ByteOrder order) {
    FieldCursor cursor(body, order);
    FullSample sample;
    const auto has = [&](std::uint64_t bit) { return (layout.sample_type & bit) != 0; };
    if (has(PERF_SAMPLE_IDENTIFIER)) sample.id = cursor.u64();
    if (has(PERF_SAMPLE_IP)) sample.ip = cursor.u64();
    if (has(PERF_SAMPLE_TID)) {
        sample.pid = cursor.u32();
        sample.tid = cursor.u32();
    }
    if (has(PERF_SAMPLE_TIME)) sample.time_ns = cursor.u64();
    if (has(PERF_SAMPLE_ADDR)) sample.address = cursor.u64();
    if (has(PERF_SAMPLE_ID)) sample.id = cursor.u64();
    if (has(PERF_SAMPLE_STREAM_ID)) cursor.skip(word);
    if (has(PERF_SAMPLE_CPU)) {
        sample.cpu = cursor.u32();
        cursor.skip(sizeof(std::uint32_t));
    }
    sample.period = has(PERF_SAMPLE_PERIOD) ? cursor.u64() : layout.period;
    if (has(PERF_SAMPLE_READ)) skip_read(cursor, layout.read_format);
    if (has(PERF_SAMPLE_CALLCHAIN)) sample.chain = take_words(cursor, cursor.u64());
    if ((layout.sample_type & behind_the_chain) != 0) decode_rest(cursor, layout, sample);
    if (!cursor.ok()) return std::nullopt;
    sample.mode = cpu_mode(misc);
    return sample;
}

std::optional<RecordId> decode_record_id(std::span<const std::byte> body,
                                         const SampleLayout& layout, ByteOrder order) {
    if (!layout.sample_id_all) return std::nullopt;
    const std::uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    const auto size = static_cast<std::size_t>(std::popcount(layout.sample_type & fields)) * word;
    if (body.size() < size) return std::nullopt;
    FieldCursor cursor(body.last(size), order);
    const auto has = [&](std::uint64_t bit) { return (layout.sample_type & bit) != 0; };
    RecordId who;
    if (has(PERF_SAMPLE_TID)) {
        who.pid = cursor.u32();
        who.tid = cursor.u32();
    }
    if (has(PERF_SAMPLE_TIME)) who.time_ns = cursor.u64();
    if (has(PERF_SAMPLE_ID)) cursor.skip(word);
    if (has(PERF_SAMPLE_STREAM_ID)) cursor.skip(word);
    if (has(PERF_SAMPLE_CPU)) who.cpu = cursor.u32();
    return who;
}

}  // namespace ringside::perf
