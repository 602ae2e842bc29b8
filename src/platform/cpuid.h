// The CPUID instruction, or a recording of it, so that x86 fixtures are read like the live machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sys_root.h"

namespace ringside::platform {

struct CpuidRegs {
    std::uint32_t eax = 0;
    std::uint32_t ebx = 0;
    std::uint32_t ecx = 0;
    std::uint32_t edx = 0;
};

// arch/: nullopt where there is no such instruction.
std::optional<CpuidRegs> execute_cpuid(std::uint32_t leaf, std::uint32_t subleaf);

class Cpuid {
  public:
    // Nothing can be read: what an arm64 machine has.
    Cpuid() = default;
    // The processor we run on; the same as Cpuid() where there is no such instruction.
    static Cpuid live();
    // Lines of "leaf subleaf eax ebx ecx edx" in hexadecimal; other lines are ignored.
    static Cpuid from_text(std::string_view text);
    // live() for the live root, else the tree's own /cpuid.txt.
    static Cpuid of(const base::SysRoot& root);

    // nullopt where the processor (or the recording) has no such leaf.
    std::optional<CpuidRegs> read(std::uint32_t leaf, std::uint32_t subleaf = 0) const;
    bool readable() const { return read(0).has_value(); }
    // CPUID.1:ECX[31], which no processor sets and every honest hypervisor does.
    bool hypervisor_bit() const;

  private:
    // A leaf above the highest one answers with another leaf's data (Intel SDM vol. 2A, CPUID), and
    // the hypervisor range means something only where the hypervisor bit is set.
    bool in_range(std::uint32_t leaf) const;

    bool live_ = false;
    std::uint32_t last_basic_ = 0;
    std::uint32_t last_extended_ = 0;
    bool has_hypervisor_range_ = false;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegs> recorded_;
};

struct CpuidSignature {
    std::uint32_t base = 0;  // 0x40000000, 0x40000100, ...
    std::string text;        // the twelve bytes of EBX, ECX, EDX without NULs at the end
};

// Every signature in the hypervisor range; a KVM or Xen that also speaks Hyper-V shows two.
std::vector<CpuidSignature> hypervisor_signatures(const Cpuid& cpuid);

}  // namespace ringside::platform
