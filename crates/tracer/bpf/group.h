/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Groups of commits, as the server itself states them: who leads whom.
 *
 * A commit names itself when it is about to join the queue of its group, in its own thread; the leader of the group names
 * it again when it writes its part of the binlog. The name is the server's object for it: MySQL's THD, MariaDB's
 * group_commit_entry on the committing thread's stack.
 *
 * MySQL's groups pass stages (sql/binlog.cc, MYSQL_BIN_LOG::ordered_commit()). In the queue of the sync stage the
 * groups whose leaders come while another one is synced merge. Groups join that queue in the order in which they are
 * written, so that the reader knows who is in it when it is taken.
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

/*
 * In the thread that commits, just before it joins the queue. MySQL, sql/binlog.cc: ordered_commit(thd). MariaDB,
 * sql/log.cc: queue_for_group_commit(entry).
 */
SEC("uprobe")
int on_group_join(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	__u64 name = ctx->si;
	__u32 *known;

	if (!thread)
		return 0;
	thread->group_name = name;
	thread->joined_ns = bpf_ktime_get_ns();
	/* A connection keeps its name, mostly: looking it up costs a tenth of an update. */
	known = bpf_map_lookup_elem(&joined, &name);
	if (!known || *known != tid)
		bpf_map_update_elem(&joined, &name, &tid, BPF_ANY);
	return 0;
}

/* MySQL, sql/binlog.cc: sync_binlog_file(), by the leader of the sync stage right after it took the stage's queue. */
SEC("uprobe")
int on_sync_lead(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	struct sync_stage *record = thread ? reserve(sizeof(*record)) : NULL;

	if (!record)
		return 0;
	fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_SYNC_STAGE);
	record->commit_ns = thread->commit_ns;
	submit(record);
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
