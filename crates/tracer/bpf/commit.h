/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The time of a read-write commit.
 *
 * Both servers' ha_commit_trans() (sql/handler.cc) takes a metadata lock that blocks a global read lock, and gives
 * it back, for read-write transactions alone. The probes sit on these two calls: they cover the whole wait, a
 * read-only or statement-level commit does not pass them, and a call is an instruction that the kernel emulates.
 * Outside are setting the stage before the first call and freeing resources after the second: a few microseconds of CPU.
 *
 * XA PREPARE and XA COMMIT wait for the same logs and pass ha_commit_trans() only in one phase: what they execute is a
 * time of its own, unless a commit begins inside of it.
 *
 * A node of a Galera cluster takes no such lock (ha_commit_trans(), `if (!WSREP(thd))`): its commits begin where the
 * transaction is given to the cluster, wsrep::client_state::before_prepare(), and end when all is done but to forget it,
 * after_commit(), or after_rollback() if another node's transaction came first (sql/wsrep_trans_observer.h).
 *
 * MariaDB without a binlog only asks for the redo log to be made durable there (storage/innobase/trx/trx0trx.cc,
 * trx_flush_log_if_needed()), and replies when it is: between thd_increment_pending_ops() and thd_decrement_pending_ops() of
 * its client. The commit goes on until then. A thread that serves one client waits meanwhile (sql/sql_class.h,
 * wait_for_pending_ops()). One of a pool serves others, and whichever is free replies (sql/threadpool_common.cc).
 */
#pragma once

#include "pool.h"
#include "state.h"

/* Where the stack pointer of the function that commits would be: these have none. */
#define XA 0
#define GALERA 1

static __always_inline void begin_commit(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return;
	if (thread->commit_ns && thread->commit_sp > GALERA)
		count_loss(LOSS_COMMIT_UNMATCHED);
	thread->async = ASYNC_NONE;
	thread->async_thd = 0;
	thread->commit_sp = ctx->sp;
	thread->commit_ns = bpf_ktime_get_ns();
}

SEC("uprobe.multi")
int on_commit_begin(struct pt_regs *ctx)
{
	return COUNTED(ON_COMMIT_BEGIN, begin_commit(ctx));
}

/* Ends the commit of a thread, or lets it go on until its log is durable. */
static __always_inline void complete_commit(struct thread *thread)
{
	if (thread->async_thd && pools_threads)
		return_commit(thread, bpf_ktime_get_ns());
	else if (thread->async_thd)
		thread->async = ASYNC_OPEN;
	else
		send_commit(thread, bpf_ktime_get_ns(), KIND_COMMIT);
}

static __always_inline void end_commit(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread || !thread->commit_ns)
		return;
	if (thread->commit_sp != ctx->sp) {
		count_loss(LOSS_COMMIT_UNMATCHED);
		return;
	}
	complete_commit(thread);
}

SEC("uprobe.multi")
int on_commit_end(struct pt_regs *ctx)
{
	return COUNTED(ON_COMMIT_END, end_commit(ctx));
}

static __always_inline void begin_async(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	struct pending begun = {};
	__u64 thd = ctx->di;

	if (!thread || !thread->commit_ns)
		return;
	thread->async_thd = thd;
	begun.commit_ns = thread->commit_ns;
	begun.tid = tid;
	bpf_map_update_elem(&pending, &thd, &begun, BPF_ANY);
}

SEC("uprobe.multi")
int on_async_begin(struct pt_regs *ctx)
{
	return COUNTED(ON_ASYNC_BEGIN, begin_async(ctx));
}

/*
 * In whichever thread made the log durable. A client's thread that waits for it is woken a moment later, and its
 * commit ends when it runs again; one that did not get as far as to wait never will.
 */
static __always_inline void end_async(struct pt_regs *ctx)
{
	__u64 thd = ctx->di;
	struct pending *begun;
	struct thread *thread;

	/* Without a filter it runs in all processes of the program, whose clients may be at the same address. */
	if (bpf_get_current_pid_tgid() >> 32 != target_tgid || !is_looking())
		return;
	if (pools_threads) {
		end_pooled(thd);
		return;
	}
	begun = bpf_map_lookup_elem(&pending, &thd);
	thread = begun ? known_thread(begun->tid) : NULL;
	if (!thread || thread->async_thd != thd)
		return;
	bpf_map_delete_elem(&pending, &thd);
	thread->async_thd = 0;
	if (thread->async != ASYNC_OPEN)
		return;
	if (thread->out_ns)
		thread->async = ASYNC_DONE;
	else
		send_commit(thread, bpf_ktime_get_ns(), KIND_COMMIT);
}

SEC("uprobe.multi")
int on_async_end(struct pt_regs *ctx)
{
	return COUNTED(ON_ASYNC_END, end_async(ctx));
}

static __always_inline void begin_xa(void)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (!thread || thread->commit_ns)
		return;
	thread->commit_sp = XA;
	thread->commit_ns = bpf_ktime_get_ns();
}

SEC("uprobe.multi")
int on_xa_begin(struct pt_regs *ctx)
{
	return COUNTED(ON_XA_BEGIN, begin_xa());
}

static __always_inline void end_xa(void)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (thread && thread->commit_ns && thread->commit_sp == XA)
		send_commit(thread, bpf_ktime_get_ns(), KIND_COMMIT);
}

SEC("uprobe.multi")
int on_xa_end(struct pt_regs *ctx)
{
	return COUNTED(ON_XA_END, end_xa());
}

static __always_inline void begin_galera(void)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	/* Of a commit that ended nowhere, only the begin is left. */
	if (!thread || (thread->commit_ns && thread->commit_sp != GALERA))
		return;
	thread->async = ASYNC_NONE;
	thread->async_thd = 0;
	thread->commit_sp = GALERA;
	thread->commit_ns = bpf_ktime_get_ns();
}

SEC("uprobe.multi")
int on_galera_begin(struct pt_regs *ctx)
{
	return COUNTED(ON_GALERA_BEGIN, begin_galera());
}

static __always_inline void end_galera(void)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (thread && thread->commit_ns && thread->commit_sp == GALERA)
		complete_commit(thread);
}

SEC("uprobe.multi")
int on_galera_end(struct pt_regs *ctx)
{
	return COUNTED(ON_GALERA_END, end_galera());
}
