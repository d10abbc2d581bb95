/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * I/O system calls of the server on regular files, with the file's identity, and its name once.
 *
 * One program at the entry and one at the exit serve all of these calls: the descriptor is the first argument of each.
 * Device, inode and generation are read at the call, so that no path has to be guessed later, even if the server
 * renames, rotates or removes the file.
 */
#pragma once

#include "client.h"
#include "server_wait.h"
#include "state.h"

/* include/uapi/linux/stat.h */
#define S_IFMT 00170000
#define S_IFREG 0100000

struct file_key {
	__u64 ino;
	__u32 dev;
	__u32 generation;
};

/* Files whose name was sent; one that falls out of the map is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct file_key);
	__type(value, __u8);
} named SEC(".maps");

/* Regular files that were used lately and whose name was sent, by the address of their inode. */
#define RECENT_FILES 256

struct recent_file {
	__u64 inode;
	struct file_key key;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECENT_FILES);
	__type(key, __u32);
	__type(value, struct recent_file);
} recent_files SEC(".maps");

static __always_inline struct recent_file *recent_file(const struct inode *inode)
{
	/* Inodes are some 1,000 bytes apart. */
	__u32 index = ((__u64)inode >> 6 ^ (__u64)inode >> 14) & (RECENT_FILES - 1);

	return bpf_map_lookup_elem(&recent_files, &index);
}

/* The table of descriptors is read through typed pointers, which costs loads alone; an entry of it has no type. */
static __always_inline struct file *file_of(__u32 fd)
{
	struct files_struct *files = CURRENT_FIELD(current_task(), files);
	struct fdtable *table = CURRENT_FIELD(files, fdt);
	struct file *file = NULL;

	if (fd < CURRENT_FIELD(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), CURRENT_FIELD(table, fd) + fd);
	return file;
}

/* Sends the file's name; false where there was no room for it. */
static __always_inline bool send_name(struct file *file, const struct file_key *key, __u32 tid)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct file_name *record = reserve(sizeof(*record));
	__u8 sent = 1;
	__u32 used = 0;

	if (!record)
		return false;
	fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_FILE);
	record->ino = key->ino;
	record->dev = key->dev;
	record->generation = key->generation;
	record->pad = 0;
#pragma unroll
	for (int level = 0; level < FILE_COMPONENTS; level++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		record->names[level][0] = 0;
		if (parent == dentry)
			continue;
		bpf_probe_read_kernel_str(record->names[level], COMPONENT_BYTES, BPF_CORE_READ(dentry, d_name.name));
		dentry = parent;
		used = level + 1;
	}
	record->components = used;
	submit(record);
	bpf_map_update_elem(&named, key, &sent, BPF_ANY);
	return true;
}

/* Fills in what was not used lately; false for what is not a regular file. */
static __always_inline bool look_up(struct recent_file *recent, struct file *file, struct inode *inode, __u32 tid)
{
	recent->inode = 0;
	if ((READ_FIELD(inode, i_mode) & S_IFMT) != S_IFREG)
		return false;
	recent->key.ino = READ_FIELD(inode, i_ino);
	recent->key.dev = READ_FIELD(BPF_CORE_READ(inode, i_sb), s_dev);
	recent->key.generation = READ_FIELD(inode, i_generation);
	/* A name that was lost is sent again at the next use: without it the file's class is not known. */
	if (bpf_map_lookup_elem(&named, &recent->key) || send_name(file, &recent->key, tid))
		recent->inode = (__u64)inode;
	return true;
}

/* Whether this is still the file that it was: the address of an inode, and its number, may be another file's now. */
static __always_inline bool is_recent(const struct recent_file *recent, struct inode *inode)
{
	return recent->inode == (__u64)inode && READ_FIELD(inode, i_ino) == recent->key.ino &&
	       READ_FIELD(inode, i_generation) == recent->key.generation;
}

static __always_inline void begin_io(__u32 fd)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	struct recent_file *recent;
	struct inode *inode;
	struct file *file;

	if (!thread)
		return;
	thread->io_ns = 0;
	file = file_of(fd);
	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	recent = recent_file(inode);
	if (!recent || (!is_recent(recent, inode) && !look_up(recent, file, inode, tid)))
		return;
	thread->io_ino = recent->key.ino;
	thread->io_dev = recent->key.dev;
	thread->io_generation = recent->key.generation;
	thread->io_ns = bpf_ktime_get_ns();
}

static __always_inline void end_io(__u32 number, __s64 ret)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	struct io *record;

	if (!thread || !thread->io_ns)
		return;
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_IO);
		record->enter_ns = thread->io_ns;
		record->ino = thread->io_ino;
		record->ret = ret;
		record->dev = thread->io_dev;
		record->generation = thread->io_generation;
		record->syscall = number;
		record->pad = 0;
		submit(record);
	}
	thread->io_ns = 0;
}

SEC("tracepoint/syscalls/sys_enter_fsync")
int on_io_enter(struct syscall_enter *ctx)
{
	return COUNTED(ON_IO_ENTER, begin_io((__u32)ctx->fd));
}

SEC("tracepoint/syscalls/sys_exit_fsync")
int on_io_exit(struct syscall_exit *ctx)
{
	return COUNTED(ON_IO_EXIT, end_io(ctx->number, ctx->ret));
}

/* Whether the tracepoints above are those of this system call: the numbers of x86-64. */
static __always_inline bool is_traced(long number)
{
	switch (number) {
	case 1:   /* write */
	case 18:  /* pwrite64 */
	case 20:  /* writev */
	case 74:  /* fsync */
	case 75:  /* fdatasync */
	case 277: /* sync_file_range */
	case 296: /* pwritev */
	case 328: /* pwritev2 */
		return true;
	default:
		return false;
	}
}

/*
 * The same of all system calls at once, for bursts, and for users who may not read tracefs: such a probe comes and goes
 * within microseconds, and each of those above takes 50 ms to detach.
 *
 * Tried: these two always, in place of the eighteen above. The tracer was gone in 0.08 s instead of 0.65 s, and the CPU
 * time of the machine a commit was the same within 5 % (ten pairs, both servers). But a call of any other process took
 * 133 ns instead of 91 ns. And Linux 7.3 may switch to another thread inside of such a program, and leaves the program
 * out on that CPU until the first thread goes on. That counts as lost, for calls of any process: 13 events of a run in an
 * emulated guest and 24 of a trace, against 15 and 6 with the tracepoints above; none on 5.10 to 6.18.
 */
static __always_inline void enter_call(const struct pt_regs *regs, long number)
{
	if (is_traced(number))
		begin_io((__u32)regs->di);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long number)
{
	return COUNTED(ON_SYS_ENTER, enter_call(regs, number));
}

static __always_inline void exit_call(const struct pt_regs *regs, long ret)
{
	long number = (long)regs->orig_ax;

	if (is_traced(number))
		end_io((__u32)number, ret);
	else if (is_of_client(number))
		end_talk(number, ret);
	else if (is_wait(number))
		end_wait();
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	return COUNTED(ON_SYS_EXIT, exit_call(regs, ret));
}
