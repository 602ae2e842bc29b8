/* What io.bpf.c and its user-space half share: plain C, because both compilers read it. */
#ifndef RINGSIDE_BPF_IO_TRACE_LAYOUT_H
#define RINGSIDE_BPF_IO_TRACE_LAYOUT_H

#include "abi/io_table.h"

/* Row 0 is for threads and files beyond the tables. */
#define IO_TRACE_ROWS 512
#define IO_TRACE_FILES 1024
#define IO_TRACE_THREADS 65536
/* System calls of the machine, then those of its 32-bit programs. */
#define IO_TRACE_CALLS 512

/* How a system call's arguments and result are to be read; see data/io/syscalls.csv. */
enum io_shape {
    IO_SHAPE_NONE, /* not traced */
    IO_SHAPE_PLAIN,
    IO_SHAPE_SIZE,
    IO_SHAPE_SIZES,
    IO_SHAPE_BYTES,
    IO_SHAPE_BATCH,
    IO_SHAPE_SEEK,
    IO_SHAPE_MOVE,
};

struct io_call {
    io_half op; /* enum io_op */
    io_half shape;
    io_half fd_argument;
    io_half size_argument;
    io_half out_argument;
};

enum io_follow { IO_FOLLOW_NONE, IO_FOLLOW_THREADS, IO_FOLLOW_CHILDREN };

/* A thread that is followed, and the call it is in. */
struct io_member {
    io_half row;
    io_half follow;
    io_half waiting; /* counts from its next exec on */
    io_half in_call; /* 1 + index in the table of calls */
    io_half file;
    io_half out_file;
    io_word start_ns;
    io_word asked_bytes;
    io_word pointer; /* of the batch's messages */
};

struct io_row {
    io_half pid;
    io_half tid;
    char command[16];
    struct io_counts counts;
};

/* A file is an inode; sockets are one, and so are pipes. */
enum io_file_kind { IO_KIND_FILE, IO_KIND_SOCKET, IO_KIND_PIPE };

struct io_file_key {
    io_word inode;
    io_half device;
    io_half kind;
};

#define IO_PARTS 24
#define IO_PART_BYTES 64

struct io_traced_file {
    struct io_file_counts counts;
    io_half kind;
    io_half whole;                       /* the parts reach the root */
    char parts[IO_PARTS][IO_PART_BYTES]; /* from the file upwards; mounts leave empty ones */
};

#endif
