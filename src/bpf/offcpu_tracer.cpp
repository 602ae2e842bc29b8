#include "bpf/offcpu_tracer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/error.h"
#include "bpf/kernel_layout.h"
#include "bpf/objects.h"
#include "bpf/offcpu_layout.h"
#include "bpf/steal_layout.h"

namespace ringside::bpf {

namespace {

// The program's constants, in the order in which offcpu.bpf.c defines them.
struct Constants {
    steal_places places;
    offcpu_options options;
};

std::vector<std::uint64_t> read_stack(int stacks_fd, std::int32_t id) {
    std::array<std::uint64_t, OFFCPU_DEPTH> addresses{};
    if (id < 0 || bpf_map_lookup_elem(stacks_fd, &id, addresses.data()) != 0) return {};
    const auto end = std::find(addresses.begin(), addresses.end(), 0u);
    return {addresses.begin(), end};
}

// Calls `visit` with each row of a table.
template <typename Key, typename Value, typename Visit>
void for_each_row(int fd, const Visit& visit) {
    Key key{};
    Key next{};
    Value value{};
    bool first = true;
    while (bpf_map_get_next_key(fd, first ? nullptr : &key, &next) == 0) {
        first = false;
        key = next;
        if (bpf_map_lookup_elem(fd, &key, &value) == 0) visit(key, value);
    }
}

}  // namespace

Result<std::unique_ptr<OffCpuTracer>> OffCpuTracer::load(const base::SysRoot& root,
                                                         bool all_threads) {
    if (auto same = check_thread_ids(root); !same) return same.error();
    std::unique_ptr<OffCpuTracer> tracer(new OffCpuTracer);
    if (auto done = tracer->attach(root, all_threads); !done) return done.error();
    return tracer;
}

Result<void> OffCpuTracer::attach(const base::SysRoot& root, bool all_threads) {
    const auto layout = read_kernel_layout(root);
    if (!layout) return layout.error();
    Constants constants{};
    constants.places = {layout->kvm_from_run_queue.value_or(0),
                        layout->arm_pv_from_run_queue.value_or(0),
                        layout->accounted_from_run_queue.value_or(0)};
    constants.options.all = all_threads ? 1 : 0;
    auto program = Program::open(offcpu_object());
    if (!program) return program.error();
    program_ = std::move(*program);
    if (auto set = program_.set_constants(std::as_bytes(std::span(&constants, 1))); !set)
        return set;
    if (auto resized = program_.resize("cpus", possible_cpus()); !resized) return resized;
    if (auto loaded = program_.load(); !loaded) return loaded;
    return program_.attach({"on_fork", "on_exit", "on_wakeup", "on_switch"});
}

Result<void> OffCpuTracer::add(pid_t tid) {
    const std::uint32_t yes = 1;
    if (bpf_map_update_elem(program_.table_fd("members"), &tid, &yes, BPF_ANY) != 0)
        return base::fail_errno(errno, "cannot follow thread " + std::to_string(tid));
    return {};
}

OffCpuProfile OffCpuTracer::read() const {
    OffCpuProfile profile;
    const int stacks = program_.table_fd("stacks");
    const auto add = [&](const offcpu_key& key, std::uint64_t total_ns, std::uint64_t times) {
        profile.sums.push_back({key.pid, key.tid, static_cast<OffCpuKind>(key.kind),
                                read_stack(stacks, key.user_stack),
                                read_stack(stacks, key.kernel_stack), total_ns, times});
    };
    for_each_row<offcpu_key, offcpu_sum>(program_.table_fd("sums"),
                                         [&](const offcpu_key& key, const offcpu_sum& sum) {
                                             if (sum.total_ns > 0)
                                                 add(key, sum.total_ns, sum.times);
                                         });
    const std::uint64_t now = base::now_ns();
    for_each_row<std::uint32_t,
                 offcpu_thread>(program_.table_fd("waiting"), [&](std::uint32_t tid,
                                                                  const offcpu_thread& row) {
        if (now > row.since_ns)
            add({row.pid, tid, row.user_stack, row.kernel_stack, row.kind}, now - row.since_ns, 1);
    });
    const std::uint32_t no_room = OFFCPU_NO_ROOM;
    bpf_map_lookup_elem(program_.table_fd("losses"), &no_room, &profile.lost);
    return profile;
}

}  // namespace ringside::bpf
