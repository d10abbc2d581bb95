/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Who has the CPU that a thread of the server waits for, and the names of other processes. */
#pragma once

#include "state.h"

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000

/* Processes whose name was sent, with the time when they began: ids are used again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} named_processes SEC(".maps");

/* Whether this is a thread of the load generator: crates/driver/src/engine/shard.rs names them. */
static __always_inline bool is_load(const struct task_struct *task)
{
	return task->comm[0] == 'l' && task->comm[1] == 'o' && task->comm[2] == 'a' && task->comm[3] == 'd';
}

static __always_inline __u32 cpu_wait_of(const struct task_struct *task)
{
	if (!task->pid)
		return CPU_WAIT_IDLE;
	if (task->tgid == target_tgid)
		return CPU_WAIT_SERVER;
	if (task->flags & PF_KTHREAD)
		return CPU_WAIT_KERNEL;
	if (task->tgid == own_tgid)
		return is_load(task) ? CPU_WAIT_LOAD : CPU_WAIT_LOGTRACE;
	return CPU_WAIT_PROCESS;
}

/* Sends the name of the task's process, once. */
static __always_inline void name_process(const struct task_struct *task, __u64 now)
{
	const struct task_struct *leader = task->group_leader;
	__u64 start_ns = leader->start_time, *sent;
	__u32 tgid = task->tgid;
	struct process *record;

	sent = bpf_map_lookup_elem(&named_processes, &tgid);
	if (sent && *sent == start_ns)
		return;
	record = reserve(sizeof(*record));
	if (!record)
		return;
	fill_header(&record->header, now, 0, KIND_PROCESS);
	record->tgid = tgid;
	record->pad = 0;
	bpf_probe_read_kernel_str(record->name, COMM_BYTES, leader->comm);
	submit(record);
	bpf_map_update_elem(&named_processes, &tgid, &start_ns, BPF_ANY);
}

/*
 * Whether the kernel marks the tasks that it throttles. Since Linux 6.18 it takes them off the CPU one by one, on their
 * way back to user space (kernel/sched/fair.c, throttle_cfs_rq_work()); before, it takes away their group's queue.
 */
static __always_inline bool tells_when_throttled(void)
{
	return bpf_core_field_exists(((struct task_struct *)0)->throttled);
}

/* Whether the task's cgroup has used up its CPU quota. */
static __always_inline bool is_throttled(const struct task_struct *task)
{
	if (tells_when_throttled())
		return READ_FIELD(task, throttled);
	if (bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return READ_FIELD(BPF_CORE_READ(task, se.cfs_rq), throttle_count) > 0;
	return false;
}

/* A thread of the server that got a CPU: when, and behind what it had waited for it. */
struct turn {
	__u64 since_ns;
	/* When it, or another thread of the server after it, left the CPU to a task that is none of the server's. */
	__u64 left_ns;
	/* An enum cpu_wait. */
	__u32 cpu_wait;
	__u32 cpu_tgid;
};

/* The last one on each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct turn);
} turns SEC(".maps");

static __always_inline struct turn *last_turn(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&turns, &first);
}

/* The thread has got its CPU. */
static __always_inline void begin_turn(const struct thread *thread, __u64 now)
{
	struct turn *turn = last_turn();

	if (turn) {
		turn->since_ns = now;
		turn->cpu_wait = thread->cpu_wait;
		turn->cpu_tgid = thread->cpu_tgid;
	}
}

/*
 * A thread of the server had the CPU last, but for less of the wait than what had kept that one waiting: several threads
 * that wait for one CPU wait for the same.
 */
static __always_inline void note_longer_holder(struct thread *thread, __u64 now)
{
	struct turn *turn = last_turn();
	__u64 start_ns = thread->wake_ns > thread->out_ns ? thread->wake_ns : thread->out_ns;

	if (!turn || turn->cpu_wait == CPU_WAIT_UNKNOWN || turn->since_ns <= start_ns ||
	    turn->since_ns - start_ns <= now - turn->since_ns)
		return;
	thread->cpu_wait = turn->cpu_wait;
	thread->cpu_tgid = turn->cpu_tgid;
}

/* Notes the task that has the CPU for which the thread waits. */
static __always_inline void note_holder(struct thread *thread, const struct task_struct *holder, __u64 now)
{
	thread->cpu_wait = cpu_wait_of(holder);
	if (thread->cpu_wait == CPU_WAIT_PROCESS) {
		/* clang would read the two ids at once, which the verifier refuses. */
		thread->cpu_tgid = READ_FIELD(holder, tgid);
		name_process(holder, now);
	}
}

/* The CPU goes to the next task. */
static __always_inline void end_turn(const struct task_struct *next, __u64 now)
{
	struct turn *turn = next->tgid == target_tgid ? NULL : last_turn();

	if (turn)
		turn->left_ns = now;
}

/*
 * A thread that lost the CPU to another one of the server gets it back from a task that had it for longer: that task
 * delayed it most.
 */
static __always_inline void note_later_holder(struct thread *thread, const struct task_struct *prev, __u64 now)
{
	struct turn *turn = prev->tgid == target_tgid ? NULL : last_turn();

	if (turn && turn->left_ns > thread->out_ns && now - turn->left_ns > turn->left_ns - thread->out_ns)
		note_holder(thread, prev, now);
}

/* A thread lost the CPU to another task, or to its quota. */
static __always_inline void note_preemption(struct thread *thread, const struct task_struct *task,
					    const struct task_struct *next, __u64 now)
{
	if (is_throttled(task))
		thread->cpu_wait = CPU_WAIT_QUOTA;
	else
		note_holder(thread, next, now);
}
