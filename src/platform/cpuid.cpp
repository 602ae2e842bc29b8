#include "platform/cpuid.h"

#include <cstring>

#include "base/text.h"

namespace ringside::platform {

namespace {

constexpr std::uint32_t hypervisor_first = 0x40000000;
constexpr std::uint32_t hypervisor_last = 0x4000ff00;
constexpr std::uint32_t hypervisor_step = 0x100;

std::optional<std::uint32_t> parse_hex(std::string_view word) {
    const auto value = base::parse_u64(word, 16);
    if (!value || *value > 0xffffffffu) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

std::string signature_text(const CpuidRegs& regs) {
    char bytes[12];
    std::memcpy(bytes, &regs.ebx, 4);
    std::memcpy(bytes + 4, &regs.ecx, 4);
    std::memcpy(bytes + 8, &regs.edx, 4);
    std::string text(bytes, sizeof bytes);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

}  // namespace

Cpuid Cpuid::live() {
    Cpuid cpuid;
    const auto basic = execute_cpuid(0, 0);
    if (!basic) return cpuid;
    cpuid.live_ = true;
    cpuid.last_basic_ = basic->eax;
    cpuid.last_extended_ = execute_cpuid(0x80000000, 0)->eax;
    cpuid.has_hypervisor_range_ = (execute_cpuid(1, 0)->ecx >> 31) != 0;
    return cpuid;
}

bool Cpuid::in_range(std::uint32_t leaf) const {
    if (leaf < hypervisor_first) return leaf <= last_basic_;
    if (leaf < 0x50000000) return has_hypervisor_range_;
    return leaf >= 0x80000000 && leaf <= last_extended_;
}

Cpuid Cpuid::from_text(std::string_view text) {
    Cpuid cpuid;
    for (const auto line : base::split_lines(text)) {
        const auto words = base::split_words(line);
        if (words.size() != 6) continue;
        std::uint32_t numbers[6];
        bool good = true;
        for (std::size_t i = 0; i < 6; ++i) {
            const auto number = parse_hex(words[i]);
            good = good && number.has_value();
            numbers[i] = number.value_or(0);
        }
        if (!good) continue;
        cpuid.recorded_[{numbers[0], numbers[1]}] = {numbers[2], numbers[3], numbers[4],
                                                     numbers[5]};
    }
    return cpuid;
}

Cpuid Cpuid::of(const base::SysRoot& root) {
    if (root.is_live()) return live();
    const auto text = root.read("/cpuid.txt");
    return text ? from_text(*text) : Cpuid();
}

std::optional<CpuidRegs> Cpuid::read(std::uint32_t leaf, std::uint32_t subleaf) const {
    if (live_) {
        if (!in_range(leaf)) return std::nullopt;
        return execute_cpuid(leaf, subleaf);
    }
    const auto found = recorded_.find({leaf, subleaf});
    if (found == recorded_.end()) return std::nullopt;
    return found->second;
}

bool Cpuid::hypervisor_bit() const {
    const auto regs = read(1);
    return regs && (regs->ecx >> 31) != 0;
}

std::vector<CpuidSignature> hypervisor_signatures(const Cpuid& cpuid) {
    std::vector<CpuidSignature> found;
    for (auto base = hypervisor_first; base <= hypervisor_last; base += hypervisor_step) {
        const auto regs = cpuid.read(base);
        if (!regs) continue;
        auto text = signature_text(*regs);
        // A range of its own names its highest leaf in EAX; KVM of old left 0 there. Anything else
        // is the answer of a processor or VMM that does not know this leaf.
        const bool own_range = regs->eax == 0 || (regs->eax & ~0xffu) == base;
        if (!text.empty() && own_range) found.push_back({base, std::move(text)});
    }
    return found;
}

}  // namespace ringside::platform
