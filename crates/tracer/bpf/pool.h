/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Servers with a pool of threads: MariaDB's own, and MySQL's plugin.
 *
 * A thread of theirs calls do_command() (sql/sql_parse.cc) when a client has sent something. In between it waits for whatever
 * client is next, or for another thread of the pool. So that call begins a statement, and its last reply ends it. Which reply is
 * the last is known when the thread waits, or with the next call.
 */
#pragma once

#include "state.h"

/* Statement that a thread executes. */
struct client_request {
	/* Start; 0 if another thread has executed it and this one only replies. */
	__u64 start_ns;
	/* End of the last reply. */
	__u64 replied_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct client_request);
} client_requests SEC(".maps");

/* Commit of a client whose log is being made durable. */
struct pending {
	__u64 commit_ns;
	/* Return of its function in a thread of a pool. */
	__u64 returned_ns;
	__u32 tid;
	__u32 pad;
};

/*
 * By the server's object for the client. Objects have even addresses: with RETURNED added, the function has returned and the
 * log is not durable yet; with REPLY_LEFT, the statement is over but for its reply. Whoever deletes a key has taken the step
 * that it stands for: deleting is atomic.
 */
#define RETURNED 1
#define REPLY_LEFT 2

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct pending);
} pending SEC(".maps");

static __always_inline void send_statement(__u32 tid, __u64 now, __u64 start_ns, __u64 end_ns)
{
	struct statement *record = reserve(sizeof(*record));

	if (!record)
		return;
	fill_header(&record->header, now, tid, KIND_STATEMENT);
	record->start_ns = start_ns;
	record->end_ns = end_ns;
	submit(record);
}

/* A thread has replied and goes on to something else. */
static __always_inline void end_request(struct thread *thread, __u64 now)
{
	struct client_request *request = bpf_map_lookup_elem(&client_requests, &thread->tid);

	thread->replied = 0;
	if (!request)
		return;
	if (request->start_ns)
		send_statement(thread->tid, now, request->start_ns, request->replied_ns);
	bpf_map_delete_elem(&client_requests, &thread->tid);
}

/* A thread waits for the request with which its statement will begin: one that serves the same client all the time. */
static __always_inline void await_request(struct thread *thread)
{
	struct client_request *request = bpf_map_lookup_elem(&client_requests, &thread->tid);

	if (request)
		request->start_ns = 0;
}

/* A thread has read a part of a request. */
static __always_inline void note_request(struct thread *thread)
{
	struct client_request *request = bpf_map_lookup_elem(&client_requests, &thread->tid);

	if (request && !request->start_ns)
		request->start_ns = bpf_ktime_get_ns();
}

/* A thread has sent something to the client that it serves. */
static __always_inline void note_reply(struct thread *thread)
{
	struct client_request *request = bpf_map_lookup_elem(&client_requests, &thread->tid);

	/* Without one it greets a new client. */
	if (!request)
		return;
	request->replied_ns = bpf_ktime_get_ns();
	thread->replied = 1;
}

static __always_inline void begin_request(struct pt_regs *ctx)
{
	__u32 tid;
	struct thread *thread = current_thread(&tid);
	/* Its first field is the key at first: a uprobe has little stack. */
	struct client_request request = { .start_ns = ctx->di | REPLY_LEFT };
	__u64 now;

	if (!thread)
		return;
	now = bpf_ktime_get_ns();
	if (thread->replied)
		end_request(thread, now);
	request.start_ns = bpf_map_delete_elem(&pending, &request.start_ns) ? now : 0;
	bpf_map_update_elem(&client_requests, &tid, &request, BPF_ANY);
	thread->is_session = 1;
}

SEC("uprobe.multi")
int on_request(struct pt_regs *ctx)
{
	return COUNTED(ON_REQUEST, begin_request(ctx));
}

/* The function of a commit returns while its log may not be durable. */
static __always_inline void return_commit(struct thread *thread, __u64 now)
{
	struct pending begun = {
		.commit_ns = thread->commit_ns,
		.returned_ns = now,
		.tid = thread->tid,
	};
	/* In the thread's state: a uprobe has little stack. */
	__u64 *key = &thread->async_thd;
	struct client_request *request;

	*key |= RETURNED;
	bpf_map_update_elem(&pending, key, &begun, BPF_ANY);
	*key ^= RETURNED;
	if (bpf_map_delete_elem(&pending, key)) {
		*key |= RETURNED;
		bpf_map_delete_elem(&pending, key);
		send_commit(thread, now, KIND_COMMIT);
	} else {
		request = bpf_map_lookup_elem(&client_requests, &thread->tid);
		if (request) {
			*key |= REPLY_LEFT;
			bpf_map_update_elem(&pending, key, &begun, BPF_ANY);
			if (request->start_ns)
				send_statement(thread->tid, now, request->start_ns, now);
			bpf_map_delete_elem(&client_requests, &thread->tid);
		}
		send_commit(thread, now, KIND_COMMIT_RETURN);
	}
	*key = 0;
}

/* The log of a client is durable: its commit ends, now or, if its function has not returned, with that. */
static __always_inline void end_pooled(__u64 thd)
{
	__u64 returned = thd | RETURNED;
	struct async_commit *record;
	struct pending *ended;
	struct thread *waker;

	if (!bpf_map_delete_elem(&pending, &thd))
		return;
	ended = bpf_map_lookup_elem(&pending, &returned);
	record = ended ? reserve(sizeof(*record)) : NULL;
	if (!record)
		return;
	waker = known_thread((__u32)bpf_get_current_pid_tgid());
	fill_header(&record->header, bpf_ktime_get_ns(), (__u32)bpf_get_current_pid_tgid(), KIND_ASYNC_COMMIT);
	record->start_ns = ended->commit_ns;
	record->returned_ns = ended->returned_ns;
	record->waker_commit_ns = waker ? waker->commit_ns : 0;
	record->commit_tid = ended->tid;
	record->pad = 0;
	if (bpf_map_delete_elem(&pending, &returned))
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	else
		submit(record);
}
