// The plugin's options, as they stand behind its file name: -plugin
// libringside-soft.so,mode=count,...
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::softpmu {

struct PluginOptions {
    std::string folder;         // folder=PATH: where the counts go
    bool hot = false;           // mode=hot: how often each block was executed, and nothing else
    std::uint64_t period = 0;   // period=N: a sample every N instructions
    std::uint64_t sampled = 0;  // sampled=N: every so many of this counter (soft_counter) instead
    bool branches = false;      // branches=on: those, too
    bool memory = false;      // memory=on: loads and stores; in a machine also accesses to devices
    bool predictor = false;   // predictor=on: a model of branch prediction
    bool caches = false;      // caches=on: a model of caches and TLB
    bool starts_off = false;  // start=off: a machine counts when it is told to
    // guest=FD: a machine's own kernel sees the counters, by an ivshmem device at the other end of
    // this socket.
    std::uint64_t guest_socket = 0;
    // mode=profile: samples of a whole machine, by task, and what its devices cost
    bool profile = false;
    std::uint64_t device_period_ns = 0;  // device_period=NS: a sample every so much of their time
    std::uint64_t ram_mb = 0;            // ram=MB: the machine's memory, where its tasks are found

    // Empty, or what is wrong.
    std::string read(std::span<char* const> words);

    // Every block is compared with the one before it, for its branch.
    bool follows_branches() const { return branches || predictor; }
    // What is sampled is counted at the begin of blocks; and it is not just instructions.
    bool samples_blocks() const;
    bool samples_another_of_blocks() const { return samples_blocks() && sampled != 0; }
    // The counters that count, by page index.
    std::uint64_t counters(bool whole_machine) const;
};

// The options again, for another QEMU; `plugin` is this file.
std::string plugin_argument(std::string_view plugin, std::span<char* const> words);

}  // namespace ringside::softpmu
