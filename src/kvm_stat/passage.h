// A virtual CPU that went into its guest or came out of it, as KVM's two tracepoints tell it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kvm_stat/exit_reason.h"
#include "perf/sample.h"
#include "perf/tracepoint_format.h"

namespace ringside::kvm_stat {

enum class Direction : bool { entry, exit };

struct Passage {
    std::uint64_t time_ns = 0;
    std::uint32_t pid = 0;  // of the process that runs the VM
    std::uint32_t tid = 0;  // of the vCPU's thread
    Direction direction = Direction::entry;
    std::optional<std::uint32_t> vcpu{};  // where KVM says: on x86
    ExitReason reason{};                  // of an exit
};

// Reads the samples of kvm_entry and kvm_exit, whose fields differ between kernels.
class PassageDecoder {
  public:
    // Those of `formats` that are not about KVM do not matter.
    explicit PassageDecoder(const std::vector<perf::TracepointFormat>& formats);

    bool knows_entry() const { return entry_id_.has_value(); }
    bool knows_exit() const { return exit_id_.has_value(); }

    // nullopt if the event is neither, or the sample too short. `id`: the tracepoint's number.
    std::optional<Passage> decode(std::uint64_t id, const perf::FullSample& sample,
                                  perf::ByteOrder order) const;

  private:
    using Raw = std::span<const std::byte>;
    using Field = std::optional<perf::TracepointField>;  // none: this kernel has no such field
    std::optional<ExitReason> reason(Raw raw, perf::ByteOrder order) const;

    std::optional<std::uint64_t> entry_id_;
    std::optional<std::uint64_t> exit_id_;
    Field entry_vcpu_;
    Field exit_vcpu_;
    Field x86_reason_;
    Field x86_isa_;
    Field arm64_outcome_;
    Field arm64_class_;
};

}  // namespace ringside::kvm_stat
