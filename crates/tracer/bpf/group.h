/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Groups of commits, as the servers state them: who leads whom.
 *
 * MySQL's groups pass stages (sql/binlog.cc, MYSQL_BIN_LOG::ordered_commit()). A commit joins the queue of the flush
 * stage; the first commit in the queue leads, and takes all of it. In the queue of the sync stage the groups whose leaders
 * come while another one is synced merge. Groups join that queue in the order in which they are written, so that the
 * reader knows who is in it when it is taken.
 *
 * MariaDB's leader takes its queue inside a function that begins long before (sql/log.cc, trx_group_commit_leader()), but
 * names each member when it writes it: by a group_commit_entry on the stack of the thread that commits.
 */
#pragma once

#include "state.h"

static __always_inline void send_member(__u32 leader, __u64 leader_commit_ns, __u32 tid, __u64 joined_ns, __u64 now)
{
	struct member *record = reserve(sizeof(*record));

	if (!record)
		return;
	fill_header(&record->header, now, leader, KIND_MEMBER);
	record->joined_ns = joined_ns;
	record->leader_commit_ns = leader_commit_ns;
	record->member_tid = tid;
	record->pad = 0;
	submit(record);
}

/* A commit that joined the queue of MySQL's flush stage. */
struct join {
	__u64 joined_ns;
	__u32 tid;
	__u32 pad;
};

/* The queue of the flush stage. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 16384);
	__type(value, struct join);
} flush_queue SEC(".maps");

/* MySQL, sql/binlog.cc: ordered_commit(), about a microsecond before the commit joins the queue. */
SEC("uprobe")
int on_flush_join(struct pt_regs *ctx)
{
	struct join join = {};

	if (!current_thread(&join.tid))
		return 0;
	join.joined_ns = bpf_ktime_get_ns();
	/* A full queue loses its oldest entry: a queue that nobody takes is full of commits that ended long ago. */
	bpf_map_push_elem(&flush_queue, &join, BPF_EXIST);
	return 0;
}

/*
 * Takes one commit from the queue of the flush stage and states its leader. Returns whether there was one. Not static, so
 * that the verifier checks it once and not for each round of the loop that calls it (kernel/bpf/verifier.c,
 * do_check_subprogs()).
 */
__noinline int lead_next(__u32 leader, __u64 leader_commit_ns, __u64 now)
{
	struct join join;

	if (bpf_map_pop_elem(&flush_queue, &join))
		return 0;
	/* One that joined before a gap in the trace may have been taken in the gap. */
	if (join.joined_ns >= looking_since_ns() && join.joined_ns <= now)
		send_member(leader, leader_commit_ns, join.tid, join.joined_ns, now);
	return 1;
}

/* Limit on the members of one group of MySQL's; those above it come to the next group. */
#define MAX_MEMBERS 1024

/* MySQL, sql/binlog.cc: process_flush_stage_queue(), by the leader of the flush stage right before it takes the queue. */
SEC("uprobe")
int on_flush_lead(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 tid;
	struct thread *leader = current_thread(&tid);

	if (!leader)
		return 0;
	for (int i = 0; i < MAX_MEMBERS; i++)
		if (!lead_next(tid, leader->commit_ns, now))
			break;
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

/* MariaDB's commits that have joined a queue, by their entries, and their threads. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u32);
} joined SEC(".maps");

/* MariaDB, sql/log.cc: queue_for_group_commit(entry), by the thread that commits. */
SEC("uprobe")
int on_group_join(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	__u64 entry = ctx->si;
	__u32 *known;

	if (!thread)
		return 0;
	thread->group_entry = entry;
	thread->joined_ns = bpf_ktime_get_ns();
	/* A connection keeps its entry's address, mostly: looking it up costs a tenth of an update. */
	known = bpf_map_lookup_elem(&joined, &entry);
	if (!known || *known != tid)
		bpf_map_update_elem(&joined, &entry, &tid, BPF_ANY);
	return 0;
}

/* MariaDB, sql/log.cc: write_transaction_or_stmt(entry, ...), by the leader for each member. */
SEC("uprobe")
int on_group_member(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *leader = current_thread(&tid);
	__u64 entry = ctx->si;
	__u32 *member_tid = bpf_map_lookup_elem(&joined, &entry);
	struct thread *member = member_tid ? known_thread(*member_tid) : NULL;

	if (!leader)
		return 0;
	if (!member || member->group_entry != entry) {
		count_loss(LOSS_MEMBER_UNMATCHED);
		return 0;
	}
	send_member(tid, leader->commit_ns, member->tid, member->joined_ns, bpf_ktime_get_ns());
	member->group_entry = 0;
	return 0;
}
