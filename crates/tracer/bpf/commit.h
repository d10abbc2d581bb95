/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The window of a read-write commit.
 *
 * Both servers' ha_commit_trans() (sql/handler.cc) takes a metadata lock that blocks a global read lock, and gives
 * it back, for read-write transactions alone. The probes sit on these two calls: they cover the whole wait, a
 * read-only or statement-level commit does not pass them, and a call is an instruction that the kernel emulates.
 */
#pragma once

#include "state.h"

SEC("uprobe")
int on_commit_begin(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return 0;
	if (thread->commit_ns)
		count_loss(LOSS_COMMIT_UNMATCHED);
	thread->commit_sp = ctx->sp;
	thread->commit_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int on_commit_end(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	struct commit *record;

	if (!thread || !thread->commit_ns)
		return 0;
	if (thread->commit_sp != ctx->sp) {
		count_loss(LOSS_COMMIT_UNMATCHED);
		return 0;
	}
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_COMMIT);
		record->start_ns = thread->commit_ns;
		submit(record);
	}
	thread->commit_ns = 0;
	return 0;
}
