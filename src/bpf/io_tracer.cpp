#include "bpf/io_tracer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include <bpf/bpf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/text.h"
#include "bpf/io_trace_layout.h"
#include "bpf/objects.h"
#include "proc/task.h"

namespace ringside::bpf {

// As io.bpf.c declares its two variables.
struct IoTracer::Words {
    std::uint32_t rows_used;
    std::uint32_t files_used;
};

namespace {

constexpr std::string_view op_names[] = {"read", "write", "recv", "send",
                                         "open", "close", "seek", "select"};
// In the order of io_shape, without IO_SHAPE_NONE.
constexpr std::string_view shape_names[] = {"plain", "size", "sizes", "bytes",
                                            "batch", "seek", "move"};

template <std::size_t count>
io_half index_of(const std::string_view (&names)[count], std::string_view name) {
    const auto* found = std::find(std::begin(names), std::end(names), name);
    RINGSIDE_ASSERT(found != std::end(names));
    return static_cast<io_half>(found - std::begin(names));
}

io_call parse_call(const std::vector<std::string>& row) {
    const auto argument = [&](std::size_t column) {
        return static_cast<io_half>(base::parse_u64(row[column]).value_or(0));
    };
    return {index_of(op_names, row[1]), 1 + index_of(shape_names, row[2]), argument(3), argument(4),
            argument(5)};
}

// A column of the table, and where its calls begin in the map: the machine's own calls first, then
// those of its 32-bit programs.
struct Numbers {
    std::size_t column;
    io_half first;
};
#if defined(__aarch64__)
constexpr Numbers numbers[] = {{8, 0}};
#else
constexpr Numbers numbers[] = {{6, 0}, {7, IO_TRACE_CALLS}};
#endif

Result<void> set_calls(int map_fd) {
    const auto table = base::embedded_file("io/syscalls.csv");
    RINGSIDE_ASSERT(table);
    for (const auto& row : base::parse_csv(*table)) {
        if (row[0] == "name") continue;
        const io_call call = parse_call(row);
        for (const auto& [column, first] : numbers) {
            const auto number = base::parse_u64(row[column]);
            if (!number) continue;
            const auto key = static_cast<io_half>(*number) + first;
            if (bpf_map_update_elem(map_fd, &key, &call, BPF_ANY) != 0) {
                return base::fail_errno(errno, "cannot fill the table of system calls");
            }
        }
    }
    return {};
}

std::string path_of(const io_traced_file& file) {
    if (file.kind == IO_KIND_SOCKET) return "(sockets)";
    if (file.kind == IO_KIND_PIPE) return "(pipes)";
    std::string path;
    for (const auto& part : file.parts) {
        const std::string_view name(part, ::strnlen(part, IO_PART_BYTES));
        if (name.empty()) continue;
        path.insert(0, std::string(name) + (path.empty() ? "" : "/"));
    }
    // What has no root is no path but a name, "memfd:x"; unless there was no room for all of it.
    if (file.whole != 0) return "/" + path;
    return file.parts[IO_PARTS - 1][0] != '\0' ? ".../" + path : path;
}

}  // namespace

Result<std::unique_ptr<IoTracer>> IoTracer::load(const base::SysRoot& root) {
    if (auto same = check_thread_ids(root); !same) return same.error();
    std::unique_ptr<IoTracer> tracer(new IoTracer(root));
    if (auto attached = tracer->attach(); !attached) return attached.error();
    return tracer;
}

Result<void> IoTracer::attach() {
    auto program = Program::open(io_object());
    if (!program) return program.error();
    program_ = std::move(*program);
    if (auto loaded = program_.load(); !loaded) return loaded;
    if (auto set = set_calls(program_.table_fd("calls")); !set) return set;
    if (auto mapped = map_tables(); !mapped) return mapped;
    members_fd_ = program_.table_fd("members");
    return program_.attach({"on_fork", "on_exec", "on_exit", "on_enter", "on_exit_call"});
}

Result<void> IoTracer::map_tables() {
    auto rows = program_.map("rows", sizeof(io_row), IO_TRACE_ROWS);
    if (!rows) return rows.error();
    auto files = program_.map("files", sizeof(io_traced_file), IO_TRACE_FILES);
    if (!files) return files.error();
    auto words = program_.map(".data", sizeof(Words), 1);
    if (!words) return words.error();
    row_memory_ = std::move(*rows);
    file_memory_ = std::move(*files);
    word_memory_ = std::move(*words);
    words_ = reinterpret_cast<Words*>(word_memory_.data());
    return {};
}

std::uint32_t IoTracer::rows_used() const {
    return std::min<std::uint32_t>(peek(words_->rows_used), IO_TRACE_ROWS);
}

Result<void> IoTracer::follow(pid_t tid, Follow follow, bool from_exec) {
    const auto pid = proc::process_of(root_, tid);
    if (!pid) return pid.error();
    io_member member{};
    member.row = __atomic_fetch_add(&words_->rows_used, 1u, __ATOMIC_RELAXED);
    if (member.row >= IO_TRACE_ROWS) member.row = 0;
    member.follow = static_cast<io_half>(follow);
    member.waiting = from_exec ? 1 : 0;
    if (member.row != 0) {
        auto& row = reinterpret_cast<io_row*>(row_memory_.data())[member.row];
        row.tid = static_cast<io_half>(tid);
        row.pid = static_cast<io_half>(*pid);
        proc::read_name(root_, tid).value_or("").copy(row.command, sizeof row.command - 1);
    }
    if (bpf_map_update_elem(members_fd_, &tid, &member, BPF_NOEXIST) != 0 && errno != EEXIST) {
        return base::fail_errno(errno, "cannot follow thread " + std::to_string(tid));
    }
    // A thread that ended before its row was written will not take the row away itself. Asked
    // without a read, which would be counted if the thread is ours.
    if (!root_.exists("/proc/" + std::to_string(tid))) bpf_map_delete_elem(members_fd_, &tid);
    return {};
}

// Threads that start between the listing and their parent's entry are found by listing again.
Result<void> IoTracer::follow_process(pid_t pid, Follow how) {
    std::vector<pid_t> followed;
    for (bool found = true; found;) {
        found = false;
        const auto tids = proc::list_threads(root_, pid);
        if (!tids) return tids.error();
        for (const pid_t tid : *tids) {
            if (std::find(followed.begin(), followed.end(), tid) != followed.end()) continue;
            // One that has ended meanwhile is no failure.
            const auto done = follow(tid, how);
            if (!done && done.error().sys_errno != ENOENT && done.error().sys_errno != ESRCH) {
                return done.error();
            }
            followed.push_back(tid);
            found = true;
        }
    }
    return {};
}

void IoTracer::add_to(io_counts& sum) const {
    const auto* rows = reinterpret_cast<const io_row*>(row_memory_.data());
    for (std::uint32_t i = 0; i < rows_used(); ++i) model::add(sum, rows[i].counts);
}

model::IoRecord IoTracer::read() const {
    model::IoRecord record;
    const auto* rows = reinterpret_cast<const io_row*>(row_memory_.data());
    for (std::uint32_t i = 0; i < rows_used(); ++i) {
        const io_row& row = rows[i];
        if (model::is_empty(row.counts)) continue;
        model::IoThread thread;
        thread.pid = static_cast<int>(row.pid);
        thread.tid = static_cast<int>(row.tid);
        thread.command.assign(row.command, ::strnlen(row.command, sizeof row.command));
        model::add(thread.counts, row.counts);
        record.threads.push_back(std::move(thread));
    }
    const auto* files = reinterpret_cast<const io_traced_file*>(file_memory_.data());
    const auto used = std::min<std::uint32_t>(peek(words_->files_used), IO_TRACE_FILES);
    std::map<std::string, io_file_counts> by_path;
    for (std::uint32_t i = 0; i < used; ++i) {
        if (model::is_empty(files[i].counts)) continue;
        model::add(by_path[i == 0 ? std::string() : path_of(files[i])], files[i].counts);
    }
    for (const auto& [path, counts] : by_path) record.files.push_back({path, counts});
    return record;
}

}  // namespace ringside::bpf
