/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The window of a read-write commit.
 *
 * Both servers' ha_commit_trans() (sql/handler.cc) takes a metadata lock that blocks a global read lock, and gives
 * it back, for read-write transactions alone. The probes sit on these two calls: they cover the whole wait, a
 * read-only or statement-level commit does not pass them, and a call is an instruction that the kernel emulates.
 *
 * XA PREPARE and XA COMMIT wait for the same logs and pass ha_commit_trans() only in one phase: what they execute is a
 * window of its own, unless a commit begins inside of it.
 */
#pragma once

#include "state.h"

/* Where the stack pointer of the function that commits would be: XA has none. */
#define XA 0

SEC("uprobe")
int on_commit_begin(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return 0;
	if (thread->commit_ns && thread->commit_sp != XA)
		count_loss(LOSS_COMMIT_UNMATCHED);
	thread->commit_sp = ctx->sp;
	thread->commit_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void send_commit(struct thread *thread, __u32 tid)
{
	struct commit *record = reserve(sizeof(*record));

	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_COMMIT);
		record->start_ns = thread->commit_ns;
		submit(record);
	}
	thread->commit_ns = 0;
}

SEC("uprobe")
int on_commit_end(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread || !thread->commit_ns)
		return 0;
	if (thread->commit_sp != ctx->sp) {
		count_loss(LOSS_COMMIT_UNMATCHED);
		return 0;
	}
	send_commit(thread, tid);
	return 0;
}

SEC("uprobe")
int on_xa_begin(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread || thread->commit_ns)
		return 0;
	thread->commit_sp = XA;
	thread->commit_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uretprobe")
int on_xa_end(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (thread && thread->commit_ns && thread->commit_sp == XA)
		send_commit(thread, tid);
	return 0;
}
