// What was there before the recording began, as records: processes with their names and code, the
// kernel and its modules. Read from /proc, so that samples of what runs already get their names.
#pragma once

#include <sys/types.h>

#include "base/byte_writer.h"
#include "base/sys_root.h"
#include "perf/record_encoder.h"
#include "proc/maps.h"

namespace ringside::record {

// Names of all threads and executable mappings, with the build-ids of what is mapped, whichever
// mount namespace the process lives in. Nothing for a process that is gone.
void describe_process(const base::SysRoot& root, pid_t pid, base::ByteWriter& out);
void describe_all_processes(const base::SysRoot& root, base::ByteWriter& out);

// A mapping as perf records code; the build-id is left to the caller.
perf::MapRecord code_record(std::uint32_t pid, const proc::Mapping& mapping);

}  // namespace ringside::record
