/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Off-CPU intervals of the server's threads, with their wakers. */
#pragma once

#include "block_stack.h"
#include "client.h"
#include "cpu_wait.h"
#include "io.h"
#include "pool.h"
#include "server_wait.h"
#include "state.h"

/* include/linux/sched.h: the thread ends with this switch. */
#define TASK_DEAD 0x00000080
/* No signal ends the sleep, or only one that kills: disks, locks of the kernel, memory; never a client, a futex or a timer. */
#define TASK_UNINTERRUPTIBLE 0x00000002

static __always_inline void leave_cpu(void *ctx, struct task_struct *task, struct task_struct *next, __u64 now,
				      unsigned int state, int preempted)
{
	struct thread *thread = thread_of(task->pid);
	bool is_in_file_call, is_in_no_call, is_in_other_call;

	if (!thread)
		return;
	thread->out_ns = now;
	thread->preempted = preempted;
	thread->syscall = syscall_of(task);
	thread->stack = -1;
	thread->cpu_wait = CPU_WAIT_UNKNOWN;
	if (pools_threads && !preempted && thread->replied && thread->syscall != SENDTO)
		end_request(thread, now);
	end_turn(next, now);
	if (is_read(thread->syscall))
		thread->io_ns = !preempted && begin_read(thread->tid) ? now : 0;
	is_in_file_call = thread->io_ns;
	is_in_no_call = thread->syscall < 0;
	/* A call on a file that is not followed has no stack: the cheap levels of detail do without. */
	is_in_other_call = state & TASK_UNINTERRUPTIBLE && !is_traced(thread->syscall);
	if (preempted)
		note_preemption(thread, task, next, now);
	else if (is_in_file_call || is_in_no_call || is_in_other_call)
		thread->stack = block_stack(ctx, thread->syscall);
	else
		note_client_wait(thread);
}

static __always_inline void fill_wake(struct off_cpu *record, const struct thread *thread)
{
	if (thread->preempted) {
		record->wake_ns = thread->out_ns;
		record->waker_tid = record->header.tid;
		record->waker_tgid = target_tgid;
		record->waker_commit_ns = 0;
		record->waker_syscall = -1;
		return;
	}
	/*
	 * A waker on another CPU can be seen before the sleeper's own switch: kernel/sched/core.c traces the wake-up
	 * first and then waits for the switch to end. Such a wake-up counts from the switch on.
	 */
	record->wake_ns = thread->wake_ns && thread->wake_ns < thread->out_ns ? thread->out_ns : thread->wake_ns;
	record->waker_tid = thread->waker_tid;
	record->waker_tgid = thread->waker_tgid;
	record->waker_commit_ns = thread->waker_commit_ns;
	record->waker_syscall = thread->waker_syscall;
}

static __always_inline void enter_cpu(struct task_struct *task, struct task_struct *prev, __u64 now)
{
	struct thread *thread = sleeper_of(task);
	struct off_cpu *record;

	if (!thread || !thread->out_ns)
		return;
	/* The task before this one on its CPU delayed it, unless it is known already what did. */
	if (thread->cpu_wait == CPU_WAIT_UNKNOWN) {
		note_holder(thread, prev, now);
		if (thread->cpu_wait == CPU_WAIT_SERVER)
			note_longer_holder(thread, now);
	} else if (thread->cpu_wait == CPU_WAIT_SERVER) {
		note_later_holder(thread, prev, now);
	}
	begin_turn(thread, now);
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, now, task->pid, KIND_OFF_CPU);
		record->out_ns = thread->out_ns;
		record->stack = thread->stack;
		record->syscall = thread->syscall;
		fill_wake(record, thread);
		record->cpu_wait = thread->cpu_wait;
		record->cpu_tgid = thread->cpu_tgid;
		submit(record);
	}
	if (thread->io_ns && is_read(thread->syscall))
		send_io(thread, now, thread->syscall, 0);
	note_long_wait(thread, now);
	thread->out_ns = 0;
	thread->wake_ns = 0;
	if (thread->async == ASYNC_DONE && thread->commit_ns)
		send_commit(thread, now, KIND_COMMIT);
}

/*
 * kernel/sched/core.c, __schedule(). The state of prev is an argument since Linux 5.18 alone; the task has it everywhere,
 * and it says the same. A task that blocks may be woken before this is traced, but is in the state TASK_WAKING then and not
 * TASK_RUNNING: try_to_wake_up() makes it that only after the switch, on this CPU's queue or when on_cpu is 0.
 */
static __always_inline void trace_switch(void *ctx, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	unsigned int prev_state;
	__u64 now;

	if ((prev->tgid != target_tgid && next->tgid != target_tgid) || !is_looking())
		return;
	now = bpf_ktime_get_ns();
	if (prev->tgid == target_tgid) {
		prev_state = state_of(prev);
		if (prev_state & TASK_DEAD)
			end_thread(prev->pid, now);
		else
			leave_cpu(ctx, prev, next, now, prev_state, preempt || !prev_state);
	}
	if (next->tgid == target_tgid)
		enter_cpu(next, prev, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return COUNTED(ON_SWITCH, trace_switch(ctx, preempt, prev, next));
}

/* kernel/sched/core.c, try_to_wake_up(): in the context of the waker. */
static __always_inline void trace_waking(void *ctx, struct task_struct *task)
{
	struct thread *thread, *waker;
	struct task_struct *current;
	__u32 waker_tgid;

	if (task->tgid != target_tgid || !is_looking())
		return;
	thread = sleeper_of(task);
	if (!thread)
		return;
	current = current_task();
	waker_tgid = CURRENT_FIELD(current, tgid);
	thread->wake_ns = bpf_ktime_get_ns();
	thread->waker_tid = CURRENT_FIELD(current, pid);
	thread->waker_tgid = waker_tgid;
	thread->waker_commit_ns = 0;
	thread->waker_syscall = -1;
	if (!tells_when_throttled() && is_throttled(task))
		thread->cpu_wait = CPU_WAIT_QUOTA;
	if (waker_tgid != target_tgid)
		return;
	thread->waker_syscall = waking_syscall(ctx, current);
	waker = known_thread(thread->waker_tid);
	if (waker)
		thread->waker_commit_ns = waker->commit_ns;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	return COUNTED(ON_WAKING, trace_waking(ctx, task));
}
