/* Application I/O seen at the system calls, for programs that no library can be put into. Counts
 * the same words as the interposer, in nanoseconds, for the threads in `members` and those they
 * start. */

/* clang-format off */
#include <linux/bpf.h>  /* first: libbpf's headers need its types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
/* clang-format on */

#include "bpf/io_trace_layout.h"

char licence_text[] SEC("license") = "Dual MIT/GPL";

/* The members used of the kernel's structs; offsets are relocated when the program is loaded. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct thread_info {
    unsigned int status; /* x86 */
};
struct qstr {
    const unsigned char* name;
};
struct dentry {
    struct dentry* d_parent;
    struct qstr d_name;
};
struct super_block {
    unsigned int s_dev;
};
struct inode {
    unsigned short i_mode;
    unsigned long i_ino;
    struct super_block* i_sb;
};
struct vfsmount {
    struct dentry* mnt_root;
};
struct mount {
    struct mount* mnt_parent;
    struct dentry* mnt_mountpoint;
    struct vfsmount mnt;
};
struct path {
    struct vfsmount* mnt;
    struct dentry* dentry;
};
struct file {
    struct path f_path;
    struct inode* f_inode;
};
struct fdtable {
    unsigned int max_fds;
    struct file** fd;
};
struct files_struct {
    struct fdtable* fdt;
};
struct fs_struct {
    struct path root;
};
struct task_struct {
    struct thread_info thread_info;
    struct fs_struct* fs;
    int pid;
    int tgid;
    char comm[16];
    struct files_struct* files;
};
struct linux_binprm;
/* Two machines' registers: the one that does not fit is never read. */
struct pt_regs___x86 {
    unsigned long di, si, dx, r10, r8, bx, cx, bp;
};
struct pt_regs___arm64 {
    __u64 regs[31];
};
#pragma clang attribute pop

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 2 * IO_TRACE_CALLS);
    __type(key, __u32);
    __type(value, struct io_call);
} calls SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, IO_TRACE_THREADS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, __u32);
    __type(value, struct io_member);
} members SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, IO_TRACE_ROWS);
    __type(key, __u32);
    __type(value, struct io_row);
} rows SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, IO_TRACE_FILES);
    __type(key, struct io_file_key);
    __type(value, __u32);
} file_rows SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, IO_TRACE_FILES);
    __type(key, __u32);
    __type(value, struct io_traced_file);
} files SEC(".maps");

/* How many rows are taken. User space takes some too. */
__u32 rows_used = 1;
__u32 files_used = 1;

static __u32 next_row(void) {
    __u32 row = __sync_fetch_and_add(&rows_used, 1);
    return row < IO_TRACE_ROWS ? row : 0;
}

static __always_inline __u64 argument(struct pt_regs___x86* regs, int compat, __u32 index) {
    if (bpf_core_field_exists(regs->r10)) {
        switch (index) {
            case 0:
                return compat ? regs->bx : regs->di;
            case 1:
                return compat ? regs->cx : regs->si;
            case 2:
                return regs->dx;
            case 3:
                return compat ? regs->si : regs->r10;
            default:
                return compat ? regs->di : regs->r8;
        }
    }
    struct pt_regs___arm64* arm = (void*)regs;
    if (!bpf_core_field_exists(arm->regs)) return 0;
    switch (index) {
        case 0:
            return arm->regs[0];
        case 1:
            return arm->regs[1];
        case 2:
            return arm->regs[2];
        case 3:
            return arm->regs[3];
        default:
            return arm->regs[4];
    }
}

/* Functions that are not static are checked by the verifier once, and not at every call. They take
 * numbers, which it needs not follow: a kernel address is read through helpers anyway. */
__noinline int read_parts(__u32 row, __u64 file_address) {
    struct file* from = (void*)file_address;
    struct io_traced_file* to = bpf_map_lookup_elem(&files, &row);
    if (!to) return 0;
    struct dentry* dentry = BPF_CORE_READ(from, f_path.dentry);
    struct vfsmount* inner = BPF_CORE_READ(from, f_path.mnt);
    const __u64 in_mount = bpf_core_field_offset(struct mount, mnt);
    struct mount* mount = (void*)inner - in_mount;
    /* The path is the one that the program sees, in a container or chroot, too. */
    const struct task_struct* task = (const void*)bpf_get_current_task_btf();
    struct dentry* root = BPF_CORE_READ(task, fs, root.dentry);
    struct mount* root_mount = (void*)BPF_CORE_READ(task, fs, root.mnt) - in_mount;
    for (__u32 step = 0; step < IO_PARTS; step++) {
        if (dentry == root && mount == root_mount) {
            to->whole = 1;
            break;
        }
        if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
            struct mount* parent = BPF_CORE_READ(mount, mnt_parent);
            if (parent == mount) {
                to->whole = 1;
                break;
            }
            dentry = BPF_CORE_READ(mount, mnt_mountpoint);
            mount = parent;
            continue;
        }
        bpf_probe_read_kernel_str(to->parts[step], IO_PART_BYTES,
                                  BPF_CORE_READ(dentry, d_name.name));
        struct dentry* parent = BPF_CORE_READ(dentry, d_parent);
        if (parent == dentry) break;
        dentry = parent;
    }
    return 0;
}

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFIFO 0010000

static __u32 row_of_file(struct file* file) {
    struct inode* inode = BPF_CORE_READ(file, f_inode);
    __u32 type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
    struct io_file_key key = {};
    if (type == S_IFSOCK) {
        key.kind = IO_KIND_SOCKET;
    } else if (type == S_IFIFO) {
        key.kind = IO_KIND_PIPE;
    } else {
        key.inode = BPF_CORE_READ(inode, i_ino);
        key.device = BPF_CORE_READ(inode, i_sb, s_dev);
    }
    __u32* known = bpf_map_lookup_elem(&file_rows, &key);
    if (known) return *known;
    if (files_used >= IO_TRACE_FILES) return 0;
    __u32 row = __sync_fetch_and_add(&files_used, 1);
    struct io_traced_file* made = bpf_map_lookup_elem(&files, &row);
    if (!made || row == 0) return 0;
    made->kind = key.kind;
    if (key.kind == IO_KIND_FILE) read_parts(row, (__u64)file);
    /* Another CPU may have been first; then its row is the file's, and user space joins the two. */
    bpf_map_update_elem(&file_rows, &key, &row, BPF_NOEXIST);
    return row;
}

__noinline __u32 row_of_descriptor(__u32 fd) {
    const struct task_struct* task = (const void*)bpf_get_current_task_btf();
    struct fdtable* table = task->files->fdt;
    if (fd >= table->max_fds) return 0;
    struct file* file = 0;
    bpf_probe_read_kernel(&file, sizeof file, table->fd + fd);
    return file ? row_of_file(file) : 0;
}

struct io_part {
    __u64 base;
    __u64 size;
};

/* The bytes of an iovec, 0 where it is too long to be added up here. */
__noinline __u64 bytes_of_parts(__u64 address, __u64 count) {
    __u64 bytes = 0;
    if (count > 16) return 0;
    for (int i = 0; i < 16 && i < count; i++) {
        struct io_part part = {};
        bpf_probe_read_user(&part, sizeof part, (const void*)(address + i * sizeof part));
        bytes += part.size;
    }
    return bytes;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs___x86* regs, long number) {
    const struct task_struct* task = (const void*)bpf_get_current_task_btf();
    __u32 tid = task->pid;
    struct io_member* member = bpf_map_lookup_elem(&members, &tid);
    if (!member || member->waiting) return 0;
    member->in_call = 0;
    int compat = 0;
    if (bpf_core_field_exists(task->thread_info.status))
        compat = (task->thread_info.status & 2) != 0; /* TS_COMPAT */
    if (number < 0 || number >= IO_TRACE_CALLS) return 0;
    __u32 index = number + (compat ? IO_TRACE_CALLS : 0);
    struct io_call* call = bpf_map_lookup_elem(&calls, &index);
    if (!call || call->shape == IO_SHAPE_NONE) return 0;
    member->file = 0;
    member->out_file = 0;
    member->asked_bytes = 0;
    if (call->shape != IO_SHAPE_PLAIN) {
        member->file = row_of_descriptor(argument(regs, compat, call->fd_argument));
        member->pointer = argument(regs, compat, 1);
        __u64 size = argument(regs, compat, call->size_argument);
        if (call->shape == IO_SHAPE_SIZE || call->shape == IO_SHAPE_MOVE) {
            member->asked_bytes = size;
        } else if (call->shape == IO_SHAPE_SEEK) {
            member->asked_bytes = (__s64)size < 0 ? -size : size;
        } else if (call->shape == IO_SHAPE_SIZES && !compat) {
            member->asked_bytes = bytes_of_parts(member->pointer, size);
        }
        if (call->shape == IO_SHAPE_MOVE)
            member->out_file = row_of_descriptor(argument(regs, compat, call->out_argument));
    }
    member->in_call = index + 1;
    member->start_ns = bpf_ktime_get_ns();
    return 0;
}

#define ADD(word, amount) __sync_fetch_and_add(&(word), (amount))

/* How a call ended, for both of a move's files. */
struct ended {
    __u64 ns;
    __u64 asked;
    __u64 bytes;
    long result;
    int timed;
};

static void count_op(struct io_op_counts* op, const struct ended* call, int takes_in) {
    ADD(op->calls, 1);
    ADD(op->bytes, call->bytes);
    ADD(op->asked_bytes, call->asked);
    if (call->timed) {
        ADD(op->timed, 1);
        ADD(op->ticks, call->ns);
    }
    if (call->result < 0) {
        ADD(op->errors, 1);
        /* EINTR, or one of the kernel's own that become EINTR or a new try (linux/errno.h) */
        if (call->result == -4 || (call->result <= -512 && call->result >= -516))
            ADD(op->interrupted, 1);
        if (call->result == -11) ADD(op->would_block, 1);
    } else if (takes_in && call->asked && !call->bytes) {
        ADD(op->ends, 1);
    } else if (call->bytes < call->asked) {
        ADD(op->short_calls, 1);
    }
}

static void count_file(__u32 row, const struct ended* call, __u32 op) {
    struct io_traced_file* file = bpf_map_lookup_elem(&files, &row);
    if (!file) return;
    if (call->result < 0) ADD(file->counts.errors, 1);
    if (op == IO_READ || op == IO_RECV) {
        ADD(file->counts.read_calls, 1);
        ADD(file->counts.read_bytes, call->bytes);
        if (call->timed) ADD(file->counts.read_ticks, call->ns);
    } else if (op == IO_SEEK) {
        ADD(file->counts.other_calls, 1);
    } else {
        ADD(file->counts.write_calls, 1);
        ADD(file->counts.write_bytes, call->bytes);
        if (call->timed) ADD(file->counts.write_ticks, call->ns);
    }
}

static int is_socket(__u32 row) {
    struct io_traced_file* file = bpf_map_lookup_elem(&files, &row);
    return file && file->kind == IO_KIND_SOCKET;
}

__noinline int count(__u32 row_index, __u32 op, __u32 file, const struct ended* call) {
    struct io_row* row = bpf_map_lookup_elem(&rows, &row_index);
    if (!row || !call || op >= IO_TIMED_OPS) return 0;
    count_op(&row->counts.ops[op], call, op == IO_READ || op == IO_RECV);
    if (call->timed) {
        __u32 bucket = io_bucket(call->ns);
        if (bucket < IO_BUCKETS) ADD(row->counts.histograms[op][bucket], 1);
    }
    if (op >= IO_OPEN && op != IO_SEEK) return 0;
    count_file(file, call, op);
    if (op == IO_READ && is_socket(file)) count_op(&row->counts.ops[IO_SOCK_READ], call, 1);
    if (op == IO_WRITE && is_socket(file)) count_op(&row->counts.ops[IO_SOCK_WRITE], call, 0);
    return 0;
}

/* struct mmsghdr of 64-bit programs: a msghdr of 56 bytes, then the length. */
__noinline __u64 bytes_of_messages(__u64 address, __u64 done) {
    __u64 bytes = 0;
    for (int i = 0; i < 64 && i < done; i++) {
        __u32 length = 0;
        bpf_probe_read_user(&length, sizeof length, (const void*)(address + i * 64 + 56));
        bytes += length;
    }
    return bytes;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit_call, struct pt_regs___x86* regs, long result) {
    __u32 tid = bpf_get_current_pid_tgid();
    struct io_member* member = bpf_map_lookup_elem(&members, &tid);
    if (!member || member->in_call == 0) return 0;
    __u32 index = member->in_call - 1;
    member->in_call = 0;
    struct io_call* call = bpf_map_lookup_elem(&calls, &index);
    if (!call) return 0;
    struct ended how = {.ns = bpf_ktime_get_ns() - member->start_ns,
                        .asked = member->asked_bytes,
                        .result = result,
                        .timed = 1};
    if (call->shape == IO_SHAPE_SEEK) {
        how.bytes = how.asked;
        how.asked = 0;
    } else if (call->shape == IO_SHAPE_BATCH) {
        how.bytes =
            index < IO_TRACE_CALLS && result > 0 ? bytes_of_messages(member->pointer, result) : 0;
    } else if (call->shape != IO_SHAPE_PLAIN && result > 0) {
        how.bytes = result;
    }
    if (how.asked == 0 && call->shape != IO_SHAPE_SEEK) how.asked = how.bytes;
    __u32 file = call->shape == IO_SHAPE_MOVE ? member->out_file : member->file;
    count(member->row, call->op, file, &how);
    if (call->shape == IO_SHAPE_MOVE) {
        how.timed = 0; /* its time is the write's */
        count(member->row, IO_READ, member->file, &how);
    }
    return 0;
}

static void name_row(__u32 index, const struct task_struct* task) {
    struct io_row* row = bpf_map_lookup_elem(&rows, &index);
    if (!row || index == 0) return;
    row->pid = task->tgid;
    row->tid = task->pid;
    bpf_probe_read_kernel_str(row->command, sizeof row->command, task->comm);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
    __u32 from = parent->pid;
    __u32 to = child->pid;
    __u32 wanted = parent->tgid == child->tgid ? IO_FOLLOW_THREADS : IO_FOLLOW_CHILDREN;
    struct io_member* member = bpf_map_lookup_elem(&members, &from);
    if (!member || member->follow < wanted) {
        bpf_map_delete_elem(&members, &to); /* left by an earlier owner of the number */
        return 0;
    }
    struct io_member made = {
        .row = next_row(), .follow = member->follow, .waiting = member->waiting};
    name_row(made.row, child);
    bpf_map_update_elem(&members, &to, &made, BPF_ANY);
    return 0;
}

/* The thread that executes becomes its process's first, whatever number it had. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task, int old_tid, struct linux_binprm* program) {
    __u32 from = old_tid;
    __u32 to = task->pid;
    struct io_member* member = bpf_map_lookup_elem(&members, &from);
    if (!member) return 0;
    struct io_member kept = *member;
    kept.waiting = 0;
    kept.in_call = 0;
    name_row(kept.row, task);
    if (from != to) bpf_map_delete_elem(&members, &from);
    bpf_map_update_elem(&members, &to, &kept, BPF_ANY);
    return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
    __u32 tid = task->pid;
    bpf_map_delete_elem(&members, &tid);
    return 0;
}
