#include "kvm_stat/passage.h"

namespace ringside::kvm_stat {

namespace {

// What the kernel's KVM_ISA_VMX and KVM_ISA_SVM are (arch/x86/kvm/trace.h).
constexpr std::uint64_t isa_vmx = 1;
constexpr std::uint64_t isa_svm = 2;
// ARM_EXCEPTION_TRAP (arch/arm64/include/asm/kvm_asm.h): then the exception class says more.
constexpr std::uint64_t arm64_is_trap = 2;

using Field = std::optional<perf::TracepointField>;

Field field_of(const perf::TracepointFormat& format, std::string_view name) {
    const auto* found = format.find(name);
    return found == nullptr ? std::nullopt : Field(*found);
}

std::optional<std::uint64_t> number(const Field& field, std::span<const std::byte> raw,
                                    perf::ByteOrder order) {
    return field ? field->read(raw, order) : std::nullopt;
}

ReasonTable table_of(std::optional<std::uint64_t> isa) {
    if (isa == isa_vmx) return ReasonTable::vmx;
    if (isa == isa_svm) return ReasonTable::svm;
    return ReasonTable::unknown;
}

}  // namespace

PassageDecoder::PassageDecoder(const std::vector<perf::TracepointFormat>& formats) {
    for (const auto& format : formats) {
        if (format.name == "kvm_entry") {
            entry_id_ = format.id;
            entry_vcpu_ = field_of(format, "vcpu_id");
        } else if (format.name == "kvm_exit") {
            exit_id_ = format.id;
            exit_vcpu_ = field_of(format, "vcpu_id");
            x86_reason_ = field_of(format, "exit_reason");
            x86_isa_ = field_of(format, "isa");
            arm64_outcome_ = field_of(format, "ret");
            arm64_class_ = field_of(format, "esr_ec");
        }
    }
}

std::optional<ExitReason> PassageDecoder::reason(Raw raw, perf::ByteOrder order) const {
    if (const auto code = number(x86_reason_, raw, order))
        return ExitReason{table_of(number(x86_isa_, raw, order)),
                          static_cast<std::uint32_t>(*code)};
    const auto outcome = number(arm64_outcome_, raw, order);
    const auto trap = number(arm64_class_, raw, order);
    if (!outcome || !trap) return std::nullopt;
    if (*outcome == arm64_is_trap)
        return ExitReason{ReasonTable::arm64_trap, static_cast<std::uint32_t>(*trap)};
    return ExitReason{ReasonTable::arm64, static_cast<std::uint32_t>(*outcome)};
}

std::optional<Passage> PassageDecoder::decode(std::uint64_t id, const perf::FullSample& sample,
                                              perf::ByteOrder order) const {
    const bool is_exit = id == exit_id_;
    if (!is_exit && id != entry_id_) return std::nullopt;
    Passage passage;
    passage.time_ns = sample.time_ns;
    passage.pid = sample.pid;
    passage.tid = sample.tid;
    passage.direction = is_exit ? Direction::exit : Direction::entry;
    if (const auto vcpu = number(is_exit ? exit_vcpu_ : entry_vcpu_, sample.raw, order))
        passage.vcpu = static_cast<std::uint32_t>(*vcpu);
    if (!is_exit) return passage;
    const auto why = reason(sample.raw, order);
    if (!why) return std::nullopt;
    passage.reason = *why;
    return passage;
}

}  // namespace ringside::kvm_stat
