// Why a virtual CPU left its guest: the number that KVM gives, and its name.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ringside::kvm_stat {

// Which architecture's numbers; arm64 has two sorts, KVM's own and the exception classes of traps.
enum class ReasonTable : std::uint8_t { unknown, svm, vmx, arm64, arm64_trap };
// As in data/kvm/exit_reasons.csv. Static storage.
std::string_view to_string(ReasonTable table);

struct ExitReason {
    ReasonTable table = ReasonTable::unknown;
    std::uint32_t code = 0;

    auto operator<=>(const ExitReason&) const = default;
};

class ReasonNames {
  public:
    ReasonNames();

    // The kernel's name; "reason 0x4d" where there is none.
    std::string name(ExitReason reason) const;
    // The guest went idle: how long this took says nothing about what exits cost.
    bool is_halt(ExitReason reason) const;

  private:
    struct Fact {
        std::string name;
        bool halt = false;
    };
    const Fact* find(ExitReason reason) const;

    std::map<ExitReason, Fact> facts_;
};

}  // namespace ringside::kvm_stat
