/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * I/O system calls of the server on regular files and directories, with the file's identity, and its name once.
 *
 * One program at the entry and one at the exit serve all calls that write and sync: the descriptor is the first argument of
 * each. Device, inode and generation are read at the call, so that no path has to be guessed later, even if the server
 * rotates or removes the file. A name is sent again after the server has renamed a file.
 *
 * A call that reads is noted where its thread leaves the CPU in it (sched.h): one that finds its data in memory is none, and
 * there is no probe at calls that all processes make on sockets.
 */
#pragma once

#include "client.h"
#include "other_writes.h"
#include "server_wait.h"
#include "state.h"

/* include/uapi/linux/stat.h */
#define S_IFMT 00170000
#define S_IFREG 0100000
#define S_IFDIR 0040000

/* The number of x86-64. */
#define RENAME 82

struct file_key {
	__u64 ino;
	__u32 dev;
	__u32 generation;
};

/* Time when the server last renamed a file; 0 for never. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} renamed SEC(".maps");

static __always_inline __u64 *renamed_ns(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&renamed, &first);
}

/*
 * Time since when names hold: no file has been renamed since. Which file a call renames is not known, and so the names of all
 * files in use are sent again. A look at the name at each call would cost as much as all else that is done there.
 */
static __always_inline __u64 names_since_ns(void)
{
	__u64 since_ns = looking_since_ns();
	__u64 *last_ns = renamed_ns();

	return last_ns && *last_ns > since_ns ? *last_ns : since_ns;
}

/* Files whose name was sent, and when; one that falls out of the map is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct file_key);
	__type(value, __u64);
} named SEC(".maps");

/* Files that were used lately and whose name was sent, by the address of their inode. */
#define RECENT_FILES 256

struct recent_file {
	__u64 inode;
	struct file_key key;
	/* When its name was sent. */
	__u64 named_ns;
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
static __always_inline bool send_name(struct file *file, const struct file_key *key, __u64 now, __u32 tid)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct file_name *record = reserve(sizeof(*record));
	__u32 used = 0;

	if (!record)
		return false;
	fill_header(&record->header, now, tid, KIND_FILE);
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
	bpf_map_update_elem(&named, key, &now, BPF_ANY);
	note_device(key->dev);
	return true;
}

/* Fills in what was not used lately; false for what is neither a regular file nor a directory. */
static __always_inline bool look_up(struct recent_file *recent, struct file *file, struct inode *inode, __u64 since_ns,
				    __u32 tid)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	__u32 type = READ_FIELD(inode, i_mode) & S_IFMT;
	/* An eventfd is a regular file since Linux 6.16 (fs/libfs.c, alloc_anon_inode()), but is in no directory. */
	bool is_in_directory = BPF_CORE_READ(dentry, d_parent) != dentry;
	__u64 *named_ns;
	__u64 now;

	recent->inode = 0;
	if (type != S_IFDIR && (type != S_IFREG || !is_in_directory))
		return false;
	recent->key.ino = READ_FIELD(inode, i_ino);
	recent->key.dev = READ_FIELD(BPF_CORE_READ(inode, i_sb), s_dev);
	recent->key.generation = READ_FIELD(inode, i_generation);
	/* A name that was lost is sent again at the next use: without it the file's class is not known. */
	named_ns = bpf_map_lookup_elem(&named, &recent->key);
	if (named_ns && *named_ns >= since_ns) {
		recent->named_ns = *named_ns;
		recent->inode = (__u64)inode;
		return true;
	}
	now = bpf_ktime_get_ns();
	recent->named_ns = now;
	if (send_name(file, &recent->key, now, tid))
		recent->inode = (__u64)inode;
	return true;
}

/* Whether this is still the file that it was: the address of an inode, and its number, may be another file's now. */
static __always_inline bool is_recent(const struct recent_file *recent, struct inode *inode, __u64 since_ns)
{
	return recent->inode == (__u64)inode && recent->named_ns >= since_ns &&
	       READ_FIELD(inode, i_ino) == recent->key.ino && READ_FIELD(inode, i_generation) == recent->key.generation;
}

/* Notes the file of a call of the current thread; false for what is neither a regular file nor a directory. */
static __always_inline bool note_file(struct thread *thread, __u32 fd)
{
	struct file *file = file_of(fd);
	struct recent_file *recent;
	struct inode *inode;
	__u64 since_ns;

	if (!file)
		return false;
	since_ns = names_since_ns();
	inode = BPF_CORE_READ(file, f_inode);
	recent = recent_file(inode);
	if (!recent || (!is_recent(recent, inode, since_ns) && !look_up(recent, file, inode, since_ns, thread->tid)))
		return false;
	thread->io_ino = recent->key.ino;
	thread->io_dev = recent->key.dev;
	thread->io_generation = recent->key.generation;
	return true;
}

static __always_inline void begin_io(__u32 fd)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return;
	thread->io_ns = 0;
	if (note_file(thread, fd))
		thread->io_ns = bpf_ktime_get_ns();
}

/* Whether a system call reads what its first argument names: the numbers of x86-64. */
static __always_inline bool is_read(long number)
{
	switch (number) {
	case 0:   /* read */
	case 17:  /* pread64 */
	case 295: /* preadv */
	case 327: /* preadv2 */
		return true;
	default:
		return false;
	}
}

/*
 * Whether the current thread, which leaves the CPU in a call that reads, reads a file; then its file is noted. It is not
 * inlined because the switch of the scheduler is the largest program (block_stack.h).
 */
__noinline int begin_read(__u32 tid)
{
	struct thread *thread = known_thread(tid);

	return thread && note_file(thread, (__u32)REGISTER(registers_of(current_task()), di));
}

/* Ends the thread's call, or its wait in a call that reads. */
static __always_inline void send_io(struct thread *thread, __u64 now, __u32 number, __s64 ret)
{
	struct io *record = reserve(sizeof(*record));

	if (record) {
		fill_header(&record->header, now, thread->tid, KIND_IO);
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

/* Names that were sent may be old ones from now on. */
static __always_inline void note_rename(void)
{
	__u64 *last_ns = renamed_ns();

	if (last_ns)
		*last_ns = bpf_ktime_get_ns();
}

/* A call of another process has ended. Its descriptor is still in the register in which it came. */
static __always_inline void end_other_io(__s64 ret)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct inode *inode;
	struct file *file;

	if (ret < LEAST_WRITE || tgid == target_tgid || tgid == own_tgid || !is_looking())
		return;
	file = file_of((__u32)REGISTER(registers_of(current_task()), di));
	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	if ((READ_FIELD(inode, i_mode) & S_IFMT) == S_IFREG)
		count_other_write(inode, tgid, ret);
}

static __always_inline void end_io(__u32 number, __s64 ret)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		end_other_io(ret);
	else if (number == RENAME)
		note_rename();
	else if (thread->io_ns)
		send_io(thread, bpf_ktime_get_ns(), number, ret);
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

/* Whether the tracepoints above are those of this system call, which writes or syncs: the numbers of x86-64. */
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

	if (is_traced(number) || number == RENAME)
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
