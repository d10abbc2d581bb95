/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The few kernel structures that the probes read, with the few fields that they read.
 *
 * Offsets and sizes are relocated at load time (CO-RE) against the running kernel's own type information, so only the
 * names have to be right: include/linux/sched.h, fs.h, fdtable.h, dcache.h, path.h, blk-mq.h, blkdev.h and
 * arch/x86/include/asm/ptrace.h. What older kernels have elsewhere is in older_kernels.h.
 *
 * Every number is unsigned here, whatever it is in the kernel: only the size of an unsigned number is relocated, and
 * kernels have changed sizes (on_cpu is one byte since Linux 7.2).
 */
#pragma once

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/types.h>

#include "vendor/libbpf/bpf_core_read.h"
#include "vendor/libbpf/bpf_helpers.h"
#include "vendor/libbpf/bpf_tracing.h"

#define RELOCATED __attribute__((preserve_access_index))

/*
 * Reads a number or a pointer through a pointer that the verifier does not follow, in the size that it has in the running
 * kernel: BPF_CORE_READ takes the size from here.
 */
#define READ_FIELD(source, field)                                                       \
	({                                                                              \
		__u64 value = 0;                                                        \
		typeof(source) object = (source);                                       \
                                                                                        \
		bpf_probe_read_kernel(&value, bpf_core_field_size(object->field),       \
				      &object->field);                                  \
		(typeof(object->field))value;                                           \
	})

struct qstr {
	const unsigned char *name;
} RELOCATED;

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
} RELOCATED;

struct super_block {
	unsigned int s_dev;
} RELOCATED;

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned int i_generation;
} RELOCATED;

struct path {
	struct dentry *dentry;
} RELOCATED;

struct file {
	struct inode *f_inode;
	struct path f_path;
} RELOCATED;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} RELOCATED;

struct files_struct {
	struct fdtable *fdt;
} RELOCATED;

/* kernel/sched/sched.h, with CONFIG_CFS_BANDWIDTH: of this group and of those above it. */
struct cfs_rq {
	unsigned int throttle_count;
} RELOCATED;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} RELOCATED;

struct task_struct {
	void *stack;
	unsigned int flags;
	unsigned int on_cpu;
	unsigned int __state;
	struct sched_entity se;
	/* With CONFIG_CFS_BANDWIDTH, since Linux 6.18. */
	bool throttled;
	unsigned int pid;
	unsigned int tgid;
	struct task_struct *group_leader;
	__u64 start_time;
	char comm[16];
	struct files_struct *files;
} RELOCATED;

struct gendisk {
	unsigned int major;
	unsigned int first_minor;
} RELOCATED;

struct request_queue {
	struct gendisk *disk;
} RELOCATED;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
} RELOCATED;

struct pt_regs {
	unsigned long bp;
	unsigned long ax;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long sp;
} RELOCATED;

/* /sys/kernel/tracing/events/syscalls/sys_enter_fsync/format: the descriptor is the first argument of all. */
struct syscall_enter {
	__u64 common;
	__s32 number;
	__u32 pad;
	__u64 fd;
};

/* /sys/kernel/tracing/events/syscalls/sys_exit_fsync/format */
struct syscall_exit {
	__u64 common;
	__s32 number;
	__u32 pad;
	__s64 ret;
};
