// One CPU of the lab and the hypervisor on it: runs vCPUs in slices, leaves and re-enters them, and
// carries out their guests' accesses, directly or after an exit, as the policy has it.
#pragma once

#include "lab/guest.h"
#include "lab/simulation.h"
#include "vpmu/cpu.h"

namespace ringside::lab {

// A vCPU with its guest and its part of the result.
struct VirtualCpu {
    VirtualCpu(vpmu::Vm& vm, vpmu::TaskId task, const MachinePlan& machine,
               const Encodings& encodings, const Costs& costs, MachineResult& totals);

    const MachinePlan& plan;
    MachineResult& result;
    std::vector<std::uint64_t> page;  // the one shared with the guest
    vpmu::Vcpu vcpu;
    Guest guest;
    std::uint64_t exit_interval_ns;  // 0: none but those of its program
    std::uint64_t next_exit_ns;
    std::uint64_t exits_seen = 0;
    bool booted = false;
    std::string label;      // in a timeline
    std::uint32_t row = 0;  // the same
    unsigned shown_thread = 0;
    std::uint64_t shown_since_ns = 0;
};

const char* exit_name(std::uint64_t Exits::*kind);

class Processor final : private PmuPort {
  public:
    // `timeline` may be null.
    Processor(const Scenario& scenario, const Costs& costs, const Encodings& encodings,
              vpmu::CpuId id, Timeline* timeline);

    // Nothing of the vCPU may be on another CPU; release() there.
    void run_slice(VirtualCpu& one);
    // The guest stops counting and reads its counters.
    void finish(VirtualCpu& one);
    void release(VirtualCpu& one);
    void rotate_host_events();
    // Idles until then.
    void wait_until(std::uint64_t ns);
    std::uint64_t now_ns() { return hardware_.now_ns(); }
    void close_timeline();

    void add_host_results(std::vector<HostResult>& results);
    std::uint64_t register_moves() const { return cpu_.moves().total(); }
    std::uint64_t switches() const { return switches_; }

  private:
    // PmuPort, for the guest that runs
    std::uint64_t read(vpmu::Register which) override;
    void write(vpmu::Register which, std::uint64_t value) override;
    void configure(const vpmu::LogicalControl& control) override;
    std::uint64_t raw_counter(Slot slot) override { return hardware_.read_counter(slot); }

    bool is_exit(vpmu::Register which, bool writes);
    void leave_for(vpmu::Register which);
    void schedule_in(VirtualCpu& one);
    void schedule_out(VirtualCpu& one);
    void enter(VirtualCpu& one);
    void leave(VirtualCpu& one, vpmu::ExitReason why, std::uint64_t Exits::*kind);
    std::uint64_t work_percent();
    void vmm_work(VirtualCpu& one);
    void run_piece(VirtualCpu& one, std::uint64_t ns);
    void leave_if_due(VirtualCpu& one);
    void deliver_interrupt(VirtualCpu& one);
    template <typename Work>
    void charged(VirtualCpu& one, Work work);
    void charge(VirtualCpu& one, std::uint64_t cycles, bool for_pmu);
    void show_owner();
    void show_thread(VirtualCpu& one);

    const Scenario& scenario_;
    const Costs& costs_;
    SimPmu hardware_;
    vpmu::Cpu<SimPmu> cpu_;
    std::vector<vpmu::EventId> host_;
    Occurrence vmm_work_[2];  // cycles, instructions
    std::uint64_t random_ = 1;
    VirtualCpu* current_ = nullptr;
    bool counted_ = true;  // boot is not part of the measurement
    std::uint64_t switches_ = 0;

    Timeline* timeline_;
    std::uint32_t running_row_ = 0;
    std::uint32_t owner_row_ = 0;
    std::uint64_t slice_start_ns_ = 0;
    std::string owner_ = "host";
    std::uint64_t owner_since_ns_ = 0;
};

}  // namespace ringside::lab
