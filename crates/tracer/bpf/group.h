/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Groups of commits, as the servers state them: who leads whom.
 *
 * MySQL's groups pass stages (sql/binlog.cc, MYSQL_BIN_LOG::ordered_commit()). A commit enters the queue of the flush
 * stage; the first commit in the queue leads, and takes all of it. The reader knows from the files that are written and
 * synced how groups go on (crates/attribution/src/timeline/commit_groups.rs).
 *
 * MariaDB's leader takes its queue inside a function that begins long before (sql/log.cc, trx_group_commit_leader()), but
 * names each member when it writes it: by a group_commit_entry on the stack of the thread that commits. Both calls have it
 * as an argument, so that no offset inside it has to be known.
 *
 * Tried: no probe where a commit of MySQL enters, but its first wait for a futex, which the scheduler's probe sees anyway.
 * Other waits come first too often: with 8 connections, 6.6 % more members than commits were counted, and 23 % of the
 * groups merged where 9 % do. The CPU time of a commit did not fall: 21.2 and 21.5 us more than untraced, 20.8 and 21.8
 * with the probe (14 pairs each).
 */
#pragma once

#include "state.h"

/* MySQL, sql/binlog.cc: ordered_commit(), about a microsecond before the commit enters the queue. */
static __always_inline void enter_flush_stage(void)
{
	__u32 tid;
	struct queue_entry *record = current_thread(&tid) ? reserve(sizeof(*record)) : NULL;

	if (!record)
		return;
	fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_QUEUE_ENTRY);
	submit(record);
}

SEC("uprobe.multi")
int on_flush_join(struct pt_regs *ctx)
{
	return COUNTED(ON_FLUSH_JOIN, enter_flush_stage());
}

/* MySQL, sql/binlog.cc: process_flush_stage_queue(), by the leader of the flush stage right before it takes the queue. */
static __always_inline void lead_flush_stage(void)
{
	__u32 tid;
	struct thread *leader = current_thread(&tid);
	struct flush_stage *record = leader ? reserve(sizeof(*record)) : NULL;

	if (!record)
		return;
	fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_FLUSH_STAGE);
	record->commit_ns = leader->commit_ns;
	submit(record);
}

SEC("uprobe.multi")
int on_flush_lead(struct pt_regs *ctx)
{
	return COUNTED(ON_FLUSH_LEAD, lead_flush_stage());
}

/* MariaDB's commits that have entered a queue, by their entries, and their threads. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u32);
} entered SEC(".maps");

/* MariaDB, sql/log.cc: queue_for_group_commit(entry), by the thread that commits. */
static __always_inline void enter_group(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	__u64 entry = ctx->si;
	__u32 *known;

	if (!thread)
		return;
	thread->group_entry = entry;
	thread->entered_ns = bpf_ktime_get_ns();
	/* A connection keeps its entry's address, mostly: looking it up costs a tenth of an update. */
	known = bpf_map_lookup_elem(&entered, &entry);
	if (!known || *known != tid)
		bpf_map_update_elem(&entered, &entry, &tid, BPF_ANY);
}

SEC("uprobe.multi")
int on_group_join(struct pt_regs *ctx)
{
	return COUNTED(ON_GROUP_JOIN, enter_group(ctx));
}

/* MariaDB, sql/log.cc: write_transaction_or_stmt(entry, ...), by the leader for each member. */
static __always_inline void add_member(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *leader = current_thread(&tid);
	__u64 entry = ctx->si;
	__u32 *member_tid = bpf_map_lookup_elem(&entered, &entry);
	struct thread *member = member_tid ? known_thread(*member_tid) : NULL;
	struct member *record;

	if (!leader)
		return;
	if (!member || member->group_entry != entry) {
		count_loss(LOSS_MEMBER_UNMATCHED);
		return;
	}
	record = reserve(sizeof(*record));
	if (record) {
		fill_header(&record->header, bpf_ktime_get_ns(), tid, KIND_MEMBER);
		record->entered_ns = member->entered_ns;
		record->leader_commit_ns = leader->commit_ns;
		record->member_tid = member->tid;
		record->pad = 0;
		submit(record);
	}
	member->group_entry = 0;
}

SEC("uprobe.multi")
int on_group_member(struct pt_regs *ctx)
{
	return COUNTED(ON_GROUP_MEMBER, add_member(ctx));
}
