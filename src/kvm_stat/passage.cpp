#include "kvm_stat/passage.h"

namespace ringside::kvm_stat {

namespace {

// What the kernel's KVM_ISA_VMX and KVM_ISA_SVM are (arch/x86/kvm/trace.h).
constexpr std::uint64_t isa_vmx = 1;
constexpr std::uint64_t isa_svm = 2;
// ARM_EXCEPTION_TRAP (arch/arm64/include/asm/kvm_asm.h): then the exception class says more.
constexpr std::uint64_t arm64_is_trap = 2;

std::optional<std::uint64_t> number(const perf::TracepointFormat& format, std::string_view field,
                                    std::span<const std::byte> raw, perf::ByteOrder order) {
    const auto* found = format.find(field);
    return found == nullptr ? std::nullopt : found->read(raw, order);
}

ReasonTable table_of(std::optional<std::uint64_t> isa) {
    if (isa == isa_vmx) return ReasonTable::vmx;
    if (isa == isa_svm) return ReasonTable::svm;
    return ReasonTable::unknown;
}

}  // namespace

PassageDecoder::PassageDecoder(const std::vector<perf::TracepointFormat>& formats) {
    for (const auto& format : formats) {
        if (format.name == "kvm_entry") entry_ = format;
        if (format.name == "kvm_exit") exit_ = format;
    }
}

std::optional<ExitReason> PassageDecoder::reason(Raw raw, perf::ByteOrder order) const {
    if (const auto code = number(*exit_, "exit_reason", raw, order))
        return ExitReason{table_of(number(*exit_, "isa", raw, order)),
                          static_cast<std::uint32_t>(*code)};
    const auto outcome = number(*exit_, "ret", raw, order);
    const auto trap = number(*exit_, "esr_ec", raw, order);
    if (!outcome || !trap) return std::nullopt;
    if (*outcome == arm64_is_trap)
        return ExitReason{ReasonTable::arm64_trap, static_cast<std::uint32_t>(*trap)};
    return ExitReason{ReasonTable::arm64, static_cast<std::uint32_t>(*outcome)};
}

std::optional<Passage> PassageDecoder::decode(std::uint64_t id, const perf::FullSample& sample,
                                              perf::ByteOrder order) const {
    const bool is_entry = entry_ && entry_->id == id;
    const bool is_exit = exit_ && exit_->id == id;
    if (!is_entry && !is_exit) return std::nullopt;
    Passage passage;
    passage.time_ns = sample.time_ns;
    passage.pid = sample.pid;
    passage.tid = sample.tid;
    passage.direction = is_exit ? Direction::exit : Direction::entry;
    const auto& format = is_exit ? *exit_ : *entry_;
    if (const auto vcpu = number(format, "vcpu_id", sample.raw, order))
        passage.vcpu = static_cast<std::uint32_t>(*vcpu);
    if (!is_exit) return passage;
    const auto why = reason(sample.raw, order);
    if (!why) return std::nullopt;
    passage.reason = *why;
    return passage;
}

}  // namespace ringside::kvm_stat
