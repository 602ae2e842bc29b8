// What was there before the recording began, as records: processes with their names and code, the
// kernel and its modules. Read from /proc, so that samples of what runs already get their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/byte_writer.h"
#include "base/sys_root.h"
#include "perf/record_encoder.h"

namespace ringside::record {

// Names of all threads and executable mappings, with the build-ids of what is mapped, whichever
// mount namespace the process lives in. Nothing for a process that is gone.
void describe_process(const base::SysRoot& root, pid_t pid, base::ByteWriter& out);
void describe_all_processes(const base::SysRoot& root, base::ByteWriter& out);

// One line of /proc/PID/maps that maps code; pid and build-id are left to the caller.
std::optional<perf::MapRecord> parse_code_mapping(std::string_view line);

// The process that a thread belongs to.
std::optional<pid_t> process_of(const base::SysRoot& root, pid_t tid);

}  // namespace ringside::record
