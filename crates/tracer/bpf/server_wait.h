/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The server's functions that wait: the stack of a thread that returns from a long wait.
 *
 * It is read after the wait, in the thread's own context: how long a wait will be is not known when it begins, and at the
 * switch back to the thread the memory of another process is mapped.
 */
#pragma once

#include "server_stack.h"
#include "state.h"

/* The numbers of x86-64. */
#define SELECT 23
#define NANOSLEEP 35
#define FUTEX 202
#define CLOCK_NANOSLEEP 230
#define PSELECT6 270

/* Waits from this length on are told with their stack, by what ended them: a thread of the server, a timer, or others. */
#define LONG_BY_SERVER_NS 10000000
#define LONG_BY_TIMER_NS 30000
#define LONG_NS 1000000

static __always_inline bool is_wait(long number)
{
	return number == FUTEX || number == CLOCK_NANOSLEEP || number == SELECT || number == PSELECT6 || number == NANOSLEEP;
}

/*
 * From which length on a wait's stack is worth reading. Of a wait that a thread of the server ended it shows that it was
 * for a lock; where that thread was in its commit all the time, it is what that did that counts. But a session that
 * waits before its commit is asked why, whoever ends the wait: a lock of rows or of a table is held until a commit ends.
 * And a commit is asked where that thread was in none: it may have only completed what others did.
 */
static __always_inline __u64 long_ns(const struct thread *thread)
{
	if (!thread->wake_ns)
		return LONG_NS;
	if (thread->waker_syscall < 0)
		return LONG_BY_TIMER_NS;
	if (thread->is_session && !thread->commit_ns)
		return LONG_NS;
	if (thread->waker_commit_ns && thread->waker_commit_ns <= thread->out_ns)
		return ~0ULL;
	return thread->commit_ns && !thread->waker_commit_ns ? LONG_NS : LONG_BY_SERVER_NS;
}

/* Notes that the thread, which now gets the CPU, has waited so long that its stack is worth reading. */
static __always_inline void note_long_wait(struct thread *thread, __u64 now)
{
	struct runs *switched;

	if (thread->preempted || !is_wait(thread->syscall) || now - thread->out_ns < long_ns(thread))
		return;
	thread->long_in_ns = now;
	thread->long_syscall = thread->syscall;
	switched = runs_of(ON_SWITCHED);
	if (switched)
		switched->due = 1;
}

static __always_inline void end_wait(void)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 tid = (__u32)pid_tgid;
	struct thread *thread;
	struct server_wait *record;
	struct pt_regs *regs;
	__s32 stack;

	if (pid_tgid >> 32 != target_tgid)
		return;
	thread = known_thread(tid);
	if (!thread || !thread->long_in_ns || !is_looking())
		return;
	regs = registers_of(current_task());
	if (thread->long_syscall != (__s16)REGISTER(regs, orig_ax))
		return;
	stack = wait_stack(regs, tid);
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_SERVER_WAIT);
		record->in_ns = thread->long_in_ns;
		record->stack = stack;
		record->pad = 0;
		submit(record);
	}
	thread->long_in_ns = 0;
}

static __always_inline void trace_switched(struct runs *runs)
{
	if (runs->due) {
		runs->due = 0;
		end_wait();
	}
}

/* kernel/sched/core.c, end of __schedule(): in the thread that has got the CPU. Since Linux 6.15. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_switched)
{
	return COUNTED(ON_SWITCHED, trace_switched(runs));
}

/* The same on older kernels, on the way back from the system call: some 0.3 us for each, whatever its length. */
SEC("tracepoint/syscalls/sys_exit_futex")
int on_wait_exit(struct syscall_exit *ctx)
{
	return COUNTED(ON_WAIT_EXIT, end_wait());
}
