/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The records that cross the ring. crates/events/src/wire.rs says what each field means; layout_check.h, which the
 * build writes from the Rust types, fails the build where the two differ.
 */
#pragma once

#include <linux/types.h>

enum record_kind {
	KIND_OFF_CPU = 1,
	KIND_IO = 2,
	KIND_COMMIT = 3,
	KIND_FILE = 4,
	/* 5 is a stack, which the reader makes. */
	KIND_FLUSH = 6,
	KIND_MEMBER = 7,
	KIND_FLUSH_STAGE = 8,
	/* 9 is a gap, which the reader makes. */
	KIND_PROCESS = 10,
	KIND_SERVER_WAIT = 11,
	/* 12 is a stack of the server, which the reader makes. */
	KIND_CPU_SAMPLE = 13,
	KIND_QUEUE_ENTRY = 14,
	KIND_THREAD_END = 15,
	KIND_OTHER_WRITES = 16,
	KIND_COMMIT_RETURN = 17,
	KIND_ASYNC_COMMIT = 18,
	KIND_STATEMENT = 19,
};

/* Why a thread that could run did not run yet: the task that had its CPU. */
enum cpu_wait {
	CPU_WAIT_UNKNOWN,
	CPU_WAIT_IDLE,
	CPU_WAIT_SERVER,
	CPU_WAIT_LOAD,
	CPU_WAIT_LOGTRACE,
	CPU_WAIT_KERNEL,
	CPU_WAIT_PROCESS,
	CPU_WAIT_QUOTA,
};

/* include/linux/sched.h: TASK_COMM_LEN */
#define COMM_BYTES 16

#define FILE_COMPONENTS 8
#define COMPONENT_BYTES 48

struct header {
	__u64 at_ns;
	__u32 tid;
	__u32 kind;
};

struct off_cpu {
	struct header header;
	__u64 out_ns;
	__u64 wake_ns;
	__u64 waker_commit_ns;
	__u32 waker_tid;
	__u32 waker_tgid;
	__s32 stack;
	__s16 syscall;
	__s16 waker_syscall;
	__u32 cpu_wait;
	__u32 cpu_tgid;
};

struct io {
	struct header header;
	__u64 enter_ns;
	__u64 ino;
	__s64 ret;
	__u32 dev;
	__u32 generation;
	__u32 syscall;
	__u32 pad;
};

struct commit {
	struct header header;
	__u64 start_ns;
};

struct async_commit {
	struct header header;
	__u64 start_ns;
	__u64 returned_ns;
	__u64 waker_commit_ns;
	__u32 commit_tid;
	__u32 pad;
};

struct statement {
	struct header header;
	__u64 start_ns;
	__u64 end_ns;
};

struct flush {
	struct header header;
	__u64 issue_ns;
	__u32 dev;
	__u32 pad;
};

struct member {
	struct header header;
	__u64 entered_ns;
	__u64 leader_commit_ns;
	__u32 member_tid;
	__u32 pad;
};

struct queue_entry {
	struct header header;
};

struct thread_end {
	struct header header;
};

struct flush_stage {
	struct header header;
	__u64 commit_ns;
};

struct process {
	struct header header;
	__u32 tgid;
	__u32 pad;
	char name[COMM_BYTES];
};

struct other_writes {
	struct header header;
	__u64 bytes;
	__u32 tgid;
	__u32 dev;
	char name[COMM_BYTES];
};

struct server_wait {
	struct header header;
	__u64 in_ns;
	__s32 stack;
	__u32 pad;
};

struct cpu_sample {
	struct header header;
	__s32 server_stack;
	__s32 kernel_stack;
};

struct file_name {
	struct header header;
	__u64 ino;
	__u32 dev;
	__u32 generation;
	__u32 components;
	__u32 pad;
	char names[FILE_COMPONENTS][COMPONENT_BYTES];
};
