// Application I/O as it was counted, whoever counted it.
#pragma once

#include <string>
#include <vector>

#include "abi/io_table.h"

namespace ringside::model {

// A thread, or those of a process that had no row of their own (tid 0).
struct IoThread {
    int pid = 0;
    int tid = 0;
    std::string command;
    io_counts counts{};
};

struct IoFile {
    std::string path;  // empty: all files without a row of their own
    io_file_counts counts{};
};

// Threads and files without a call are left out.
struct IoRecord {
    std::vector<IoThread> threads;
    std::vector<IoFile> files;
    int programs = 0;  // that processes executed and that were counted; 0 where nobody knows
    double ns_per_tick = 1;
};

void add(io_counts& sum, const io_counts& more);
void add(io_file_counts& sum, const io_file_counts& more);
bool is_empty(const io_counts& counts);
bool is_empty(const io_file_counts& counts);

}  // namespace ringside::model
