/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Shared state of the probes: the target, the state of its threads, the rings, and the counts of lost records. */
#pragma once

#include "kernel.h"
#include "older_kernels.h"
#include "records.h"
#include "runs.h"

/* The server's process; set before the programs are loaded. */
const volatile __u32 target_tgid = 0;
/* logtrace's own process. */
const volatile __u32 own_tgid = 0;
/* Whether a thread of the server serves many clients, one statement after another. */
const volatile __u32 pools_threads = 0;

/* Reasons why something was not recorded, in the order of the Rust side (crates/tracer/src/reader/mod.rs). */
enum loss {
	LOSS_RING_FULL,
	LOSS_THREADS_FULL,
	LOSS_COMMIT_UNMATCHED,
	LOSS_MEMBER_UNMATCHED,
	LOSSES,
};

/*
 * The open intervals of one thread. What a switch or a wake-up touches is the first 64 bytes, one cache line: the line
 * moves between the CPU of the waker and that of the sleeper.
 */
struct thread {
	/* Thread of this state; 0 for none. */
	__u32 tid;
	__u8 preempted;
	/* An enum cpu_wait, known before the thread runs again; CPU_WAIT_UNKNOWN where the switch to it tells. */
	__u8 cpu_wait;
	/* An enum async: the part of the commit that continues after its function has returned. */
	__u16 async;
	/* Start of its current commit; 0 for none. */
	__u64 commit_ns;
	/* Start of its current I/O system call; 0 for none. */
	__u64 io_ns;
	/* Time when it left the CPU; 0 while it runs. */
	__u64 out_ns;
	/* Time of its last wake-up. */
	__u64 wake_ns;
	__u64 waker_commit_ns;
	__u32 waker_tid;
	__u32 waker_tgid;
	__s32 stack;
	__s16 syscall;
	__s16 waker_syscall;
	/* Stack pointer of the function that commits, to tell its own end from that of a call inside it. */
	__u64 commit_sp;
	/* The server's object for the client whose log is being made durable; 0 for none. */
	__u64 async_thd;
	__u64 io_ino;
	__u32 io_dev;
	__u32 io_generation;
	/* MariaDB's object for the commit that waits in a group's queue (group.h), and when it entered; 0 for none. */
	__u64 group_entry;
	__u64 entered_ns;
	/* When its last long wait ended, 0 for none, and the system call of that (server_wait.h). */
	__u64 long_in_ns;
	__s16 long_syscall;
	/* Whether it has sent something to its client since it last asked for a request (client.h). */
	__u8 replied;
	/* Whether it has waited for a client: it is a session's. */
	__u8 is_session;
	/* The process that took its CPU. */
	__u32 cpu_tgid;
} __attribute__((aligned(64)));

_Static_assert(__builtin_offsetof(struct thread, commit_sp) == 64, "the first cache line");
/* crates/tracer/src/reader/thread_states.rs reads these. */
_Static_assert(__builtin_offsetof(struct thread, preempted) == 4, "preempted");
_Static_assert(__builtin_offsetof(struct thread, commit_ns) == 8, "commit_ns");
_Static_assert(__builtin_offsetof(struct thread, out_ns) == 24, "out_ns");
_Static_assert(__builtin_offsetof(struct thread, stack) == 56, "stack");
_Static_assert(__builtin_offsetof(struct thread, syscall) == 60, "syscall");

/* MariaDB without a binlog: the commit waits for the redo log after its function has returned (commit.h). */
enum async {
	/* Nothing: all of the commit is in the function. */
	ASYNC_NONE,
	/* The function has returned, the log is not durable yet. */
	ASYNC_OPEN,
	/* The log is durable, but the thread has not run since. */
	ASYNC_DONE,
};

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* The ring of each CPU (crates/tracer/src/reader/rings.rs). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/*
 * Threads by the low bits of their tid: looking one up in an array costs a few ns, in a hash table 60 to 80, and it is
 * done some 40 times a commit. A thread whose slot another one has is in a spare slot. Where that has been taken as well,
 * it is a loss, and counted.
 */
#define THREAD_SLOTS 65536
#define SPARE_SLOTS 4096

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	/* An array that could be mapped begins on a page, and so each thread on a cache line. */
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, THREAD_SLOTS + SPARE_SLOTS);
	__type(key, __u32);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LOSSES);
	__type(key, __u32);
	__type(value, __u64);
} losses SEC(".maps");

static __always_inline void count_loss(__u32 why)
{
	__u64 *count = bpf_map_lookup_elem(&losses, &why);

	if (count)
		(*count)++;
}

/* Time since when all probes trace; 0 while they do not. Probes are attached and detached one by one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} looking SEC(".maps");

static __always_inline __u64 looking_since_ns(void)
{
	__u32 first = 0;
	__u64 *value = bpf_map_lookup_elem(&looking, &first);

	return value ? *value : 0;
}

static __always_inline bool is_looking(void)
{
	return looking_since_ns() != 0;
}

/* Reserves room for a record in the CPU's ring. Counts a loss and returns NULL if there is none. */
static __always_inline void *reserve(__u64 size)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	void *record = ring ? bpf_ringbuf_reserve(ring, size, 0) : NULL;

	if (!record)
		count_loss(LOSS_RING_FULL);
	return record;
}

/* Submits a record without a wake-up: the reader polls, and a wake-up would cost more than the record. */
static __always_inline void submit(void *record)
{
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

static __always_inline void fill_header(struct header *header, __u64 at_ns, __u32 tid, __u32 kind)
{
	header->at_ns = at_ns;
	header->tid = tid;
	header->kind = kind;
}

/* Ends the thread's commit, or the part of it in its function. */
static __always_inline void send_commit(struct thread *thread, __u64 now, __u32 kind)
{
	struct commit *record = reserve(sizeof(*record));

	if (record) {
		fill_header(&record->header, now, thread->tid, kind);
		record->start_ns = thread->commit_ns;
		submit(record);
	}
	thread->commit_ns = 0;
	thread->async = ASYNC_NONE;
}

/* include/uapi/asm-generic/errno.h */
#define ENOSYS 38

/*
 * The system call that a task blocks in, -1 for none. The entry code stores the number in orig_ax and -ENOSYS as the
 * result; a fault or an interrupt that comes from user space leaves -1 in orig_ax (arch/x86/entry/entry_64.S). On the
 * way back to user space the result is there: what blocks a task then (a limit on memory, the freezer) has nothing to
 * do with the call.
 */
static __always_inline __s16 syscall_of(struct task_struct *task)
{
	struct pt_regs *regs = registers_of(task);

	return (long)REGISTER(regs, ax) == -ENOSYS ? (__s16)REGISTER(regs, orig_ax) : -1;
}

/*
 * The system call from which the current task makes a wake-up, -1 for an interrupt that hit it. An interrupt from user
 * space leaves -1 in orig_ax. One from kernel mode leaves the number of the call, but runs on a stack of its own
 * (arch/x86/include/asm/irq_stack.h): the context of a raw tracepoint lies on the current stack. Without this look,
 * 13.8 % of the ends of MySQL's clock_nanosleep were charged to threads that cannot have ended them; with it, none of
 * 34,174.
 */
static __always_inline __s16 waking_syscall(void *ctx, struct task_struct *task)
{
	struct pt_regs *regs = registers_of(task);
	__u64 stack = (__u64)CURRENT_FIELD(task, stack);
	__u64 end = stack + THREAD_SIZE;

	/* Hides the range from the compiler: it would subtract from the context, which the verifier refuses. */
	asm volatile("" : "+r"(stack), "+r"(end));
	if ((__u64)ctx < stack || (__u64)ctx >= end)
		return -1;
	return (__s16)REGISTER(regs, orig_ax);
}

static __always_inline struct thread *slot_of(__u32 tid)
{
	__u32 slot = tid & (THREAD_SLOTS - 1);

	return bpf_map_lookup_elem(&threads, &slot);
}

/* The multiplier of Fibonacci hashing; its upper bits number the spare slots (SPARE_SLOTS). */
static __always_inline struct thread *spare_slot_of(__u32 tid)
{
	__u32 slot = THREAD_SLOTS + (tid * 0x9e3779b1U >> 20);

	return bpf_map_lookup_elem(&threads, &slot);
}

static __always_inline struct thread *known_thread(__u32 tid)
{
	struct thread *thread = slot_of(tid);

	if (thread && thread->tid == tid)
		return thread;
	thread = spare_slot_of(tid);
	return thread && thread->tid == tid ? thread : NULL;
}

/* The state of a thread of the server, made when it is seen for the first time. */
static __always_inline struct thread *thread_of(__u32 tid)
{
	struct thread *thread = known_thread(tid);

	if (thread)
		return thread;
	thread = slot_of(tid);
	if (thread && thread->tid)
		thread = spare_slot_of(tid);
	if (!thread)
		return NULL;
	if (thread->tid) {
		count_loss(LOSS_THREADS_FULL);
		return NULL;
	}
	__builtin_memset(thread, 0, sizeof(*thread));
	thread->tid = tid;
	return thread;
}

/*
 * The same for a thread that is woken or gets the CPU. One that was not seen before has been off it since tracing
 * began, or since it was made; but one that is woken on its way to sleep still runs.
 */
static __always_inline struct thread *sleeper_of(struct task_struct *task)
{
	struct thread *thread = known_thread(task->pid);
	__u64 since_ns;

	if (thread)
		return thread;
	thread = thread_of(task->pid);
	if (!thread)
		return NULL;
	thread->stack = -1;
	if (task->on_cpu)
		return thread;
	since_ns = looking_since_ns();
	thread->out_ns = task->start_time > since_ns ? task->start_time : since_ns;
	thread->syscall = syscall_of(task);
	return thread;
}

/* Forgets a thread that ends, and says so: its id may be another thread's from now on. */
static __always_inline void end_thread(__u32 tid, __u64 now)
{
	struct thread *thread = known_thread(tid);
	struct thread_end *record;

	/* A thread without a state has no records either. */
	if (!thread)
		return;
	thread->tid = 0;
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, now, tid, KIND_THREAD_END);
		submit(record);
	}
}

/* The state of the current thread, or NULL when it is none of the server's. */
static __always_inline struct thread *current_thread(__u32 *tid)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	if (pid_tgid >> 32 != target_tgid || !is_looking())
		return NULL;
	*tid = (__u32)pid_tgid;
	return thread_of(*tid);
}
