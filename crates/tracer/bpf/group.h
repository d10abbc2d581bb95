/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Groups of commits, as the server itself states them: who leads whom.
 *
 * A commit names itself when it joins the queue of its group, in its own thread; the leader of the group names it again
 * when it writes its part of the binlog. The name is the server's object for it: MySQL's THD, MariaDB's
 * group_commit_entry on the committing thread's stack.
 *
 * MySQL's groups pass stages (sql/binlog.cc, MYSQL_BIN_LOG::ordered_commit()). In the queue of the sync stage the
 * groups whose leaders come while another one is synced merge.
 */
#pragma once

#include "state.h"

/* Commits that have joined a queue, by the server's name for them, and their threads. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u32);
} joined SEC(".maps");

/* sql/rpl_commit_stage_manager.h, Commit_stage_manager::StageID */
#define STAGE_FLUSH 0
#define STAGE_SYNC 1

static __always_inline void join(struct thread *thread, __u64 name)
{
	thread->group_name = name;
	thread->joined_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&joined, &name, &thread->tid, BPF_ANY);
}

static __always_inline void send_sync_stage(const struct thread *thread, __u32 leads)
{
	struct sync_stage *record = reserve(sizeof(*record));

	if (!record)
		return;
	fill_header(&record->header, bpf_ktime_get_ns(), thread->tid, KIND_SYNC_STAGE);
	record->commit_ns = thread->commit_ns;
	record->leads = leads;
	record->pad = 0;
	submit(record);
}

/* MySQL, sql/rpl_commit_stage_manager.cc: append_to(stage, thd), in the thread that joins the stage's queue. */
SEC("uprobe")
int on_stage_join(struct pt_regs *ctx)
{
	__u32 tid, stage = (__u32)ctx->si;
	struct thread *thread = current_thread(&tid);

	if (!thread)
		return 0;
	if (stage == STAGE_FLUSH)
		join(thread, ctx->dx);
	else if (stage == STAGE_SYNC)
		send_sync_stage(thread, 0);
	return 0;
}

/* MySQL, sql/binlog.cc: sync_binlog_file(), by the leader of the sync stage right after it took the stage's queue. */
SEC("uprobe")
int on_sync_lead(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (thread)
		send_sync_stage(thread, 1);
	return 0;
}

/* MariaDB, sql/log.cc: queue_for_group_commit(entry), in the thread that commits. */
SEC("uprobe")
int on_queue_join(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);

	if (thread)
		join(thread, ctx->si);
	return 0;
}

/* The leader writes what a member has for the binlog; the member is the first argument of either server's method. */
SEC("uprobe")
int on_group_member(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *leader = current_thread(&tid);
	__u64 name = ctx->si;
	__u32 *member_tid = bpf_map_lookup_elem(&joined, &name);
	struct thread *member = member_tid ? known_thread(*member_tid) : NULL;
	struct member *record;

	if (!leader)
		return 0;
	if (!member || member->group_name != name) {
		count_loss(LOSS_MEMBER_UNMATCHED);
		return 0;
	}
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_MEMBER);
		record->joined_ns = member->joined_ns;
		record->leader_commit_ns = leader->commit_ns;
		record->member_tid = member->tid;
		record->pad = 0;
		submit(record);
	}
	member->group_name = 0;
	return 0;
}
